from agent_discovery.errors import one_line_errors

with one_line_errors():
    from agent_discovery.notebooks.execute import run_notebook

    given, output = snakemake.input, snakemake.output
    run_notebook(given.notebook, snakemake.params.values, output.notebook, output.page)
