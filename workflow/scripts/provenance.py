import json
from pathlib import Path

from agent_discovery.config import read_config
from agent_discovery.errors import one_line_errors
from agent_discovery.files import write_json
from agent_discovery.workflow import provenance

with one_line_errors():
    with open(snakemake.input.about, encoding="utf-8") as stream:
        about = json.load(stream)
    made_from = provenance(read_config(snakemake.params.config), about)
    if snakemake.input.get("arbiter"):
        with open(snakemake.input.arbiter, encoding="utf-8") as stream:
            made_from["arbiter"] = json.load(stream)
    if snakemake.input.get("encoders"):
        made_from["encoders"] = [
            json.loads(Path(path).read_text(encoding="utf-8")) for path in snakemake.input.encoders
        ]
    write_json(snakemake.output[0], made_from)
