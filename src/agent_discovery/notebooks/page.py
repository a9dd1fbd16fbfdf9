"""An executed notebook as a page that is whole in itself: no script, no link, no network request.

nbconvert's own full templates fetch MathJax and require.js from a server, so only its plain cells
are used, in a frame of ours.
"""

import html
import re

from nbconvert import HTMLExporter
from nbformat import NotebookNode
from pygments.formatters import HtmlFormatter

STYLE = """\
body { font: 16px/1.5 system-ui, sans-serif; color: #1a1a1a; background: #fff; margin: 0; }
main { max-width: 66rem; margin: 0 auto; padding: 1rem; }
h1, h2, h3, h4 { line-height: 1.25; margin: 1.6em 0 0.5em; }
h4 { margin: 1em 0 0.2em; font-size: 0.95rem; }
a { color: #0050a0; }
img { max-width: 100%; height: auto; }
code, pre { font: 13px/1.4 ui-monospace, monospace; }
pre { margin: 0.3em 0; padding: 0.5em 0.8em; white-space: pre-wrap; overflow-wrap: anywhere; }
.input_area pre { background: #f4f4f4; border-left: 3px solid #bbb; }
.output_html pre, .output_text pre { background: #fafafa; border: 1px solid #ddd; }
.prompt { display: none; }
.output_area { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.85rem; margin: 0.8em 0; }
th, td { text-align: left; vertical-align: top; padding: 0.25em 0.6em; min-width: 3rem; }
th { border-bottom: 2px solid #888; }
td { border-bottom: 1px solid #ddd; overflow-wrap: anywhere; }
@media (max-width: 50rem) { td { overflow-wrap: normal; } }
@media print { .input_area { break-inside: avoid; } .output_area { overflow: visible; } }
"""
# Nothing is fetched and no script runs, whatever an output holds.
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<main>
{body}
</main>
</body>
</html>
"""


def page_of(notebook: NotebookNode) -> str:
    """A page with all of it inside: nbconvert's plain cells in a frame without scripts or links."""
    exporter = HTMLExporter(template_name="basic", exclude_anchor_links=True)
    body, _ = exporter.from_notebook_node(notebook)
    heading = re.search(r"^# (.+)$", notebook.cells[0].source, re.MULTILINE)
    style = STYLE + HtmlFormatter().get_style_defs(".highlight") + "\n"
    title = heading[1] if heading else "Notebook"
    return PAGE.format(policy=POLICY, title=html.escape(title), style=style, body=body.strip())
