"""Opening a page in headless Chromium without a network, and asking what a reader would see."""

import json
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--allow-file-access-from-files",  # for the frame that the page is looked at in
    "--enable-logging=stderr",
)
PAGES_OWN = 101845102  # Chromium's number for what a page loads ("blink_resource_loader")
TIME_MS, TIMEOUT_S = 20_000, 120
# The page in a frame of some width; what is asked of it is left as JSON in the outer document.
FRAME = """<!DOCTYPE html><meta charset="utf-8"><style>body { margin: 0 }</style>
<iframe src="PAGE" width="WIDTH" height="900" style="border: 0"></iframe><pre id="seen"></pre>
<script>
const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
const light = (colour) => {
  const [r, g, b] = numbers(colour).map((v) => v / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const behind = (view, element) => {
  for (let e = element; e; e = e.parentElement) {
    const colour = view.getComputedStyle(e).backgroundColor;
    if (numbers(colour)[3] !== 0) return colour;
  }
  return "rgb(255, 255, 255)";
};
const contrast = (view, element) => {
  const pair = [view.getComputedStyle(element).color, behind(view, element)].map(light);
  return (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
};
document.querySelector("iframe").addEventListener("load", (event) => {
  const view = event.target.contentWindow, page = view.document;
  page.querySelectorAll("details").forEach((part) => (part.open = true));
  const all = [...page.querySelectorAll("body *")];
  const told = all.filter((e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()));
  const ids = new Set([...page.querySelectorAll("[id]")].map((e) => e.id));
  const images = [...page.images];
  const choice = page.querySelector("select[name=verdict]");
  if (choice) {
    choice.value = "differs";
    choice.dispatchEvent(new view.Event("change", { bubbles: true }));
  }
  document.getElementById("seen").textContent = JSON.stringify({
    width: page.documentElement.scrollWidth,
    wide: all.filter((e) => e.getBoundingClientRect().right > WIDTH + 1)
      .filter((e) => !e.closest(".scroll, pre"))
      .map((e) => e.outerHTML.slice(0, 120)),
    images: images.length,
    without_alt: images.filter((i) => !i.alt.trim()).map((i) => i.src.slice(0, 80)),
    broken: images.filter((i) => !i.naturalWidth).map((i) => i.alt),
    faint: told.filter((e) => e.tagName !== "SCRIPT" && contrast(view, e) < 4.5)
      .map((e) => [contrast(view, e).toFixed(2), e.outerHTML.slice(0, 120)]),
    dead_links: [...page.querySelectorAll("a[href]")].map((a) => a.getAttribute("href"))
      .filter((href) => !href.startsWith("#") || !ids.has(href.slice(1))),
    repeated_ids: all.length && page.querySelectorAll("[id]").length - ids.size,
    filters: page.getElementById("filters")?.hidden === false,
    differing: [...page.querySelectorAll("tr[data-verdict]")].filter((row) => !row.hidden)
      .map((row) => row.dataset.verdict),
    ran: view.ran ?? null,
    dark: view.matchMedia("(prefers-color-scheme: dark)").matches,
  });
});
</script>
"""


@dataclass(frozen=True)
class Seen:
    """What the page told, what it asked the network for, and what its console said."""

    facts: dict[str, Any]
    requests: list[str]
    console: list[str]


def look(page: Path, folder: Path, width: int, dark: bool = False) -> Seen:
    """Open a page `width` pixels wide. folder: for Chromium's own files."""
    folder.mkdir(parents=True, exist_ok=True)
    frame = folder / "frame.html"
    text = FRAME.replace("PAGE", page.resolve().as_uri()).replace("WIDTH", str(width))
    frame.write_text(text, encoding="utf-8")
    log = folder / "net.json"
    ended = subprocess.run(
        [
            CHROMIUM,
            *FLAGS,
            f"--user-data-dir={folder / 'profile'}",
            f"--log-net-log={log}",
            f"--blink-settings=preferredColorScheme={0 if dark else 1}",
            f"--virtual-time-budget={TIME_MS}",
            "--dump-dom",
            frame.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
    )
    found = re.search(r'<pre id="seen">(.*?)</pre>', ended.stdout, re.DOTALL)
    assert found and found[1], ended.stderr[-2000:]
    facts = json.loads(unescaped(found[1]))
    console = [line for line in ended.stderr.splitlines() if "CONSOLE" in line]
    return Seen(facts, requests(log), console)


def requests(log: Path) -> list[str]:
    """The addresses that a page, and not Chromium of its own accord, asked the network for."""
    text = log.read_text(encoding="utf-8", errors="replace")
    found = re.findall(rf'"traffic_annotation":{PAGES_OWN},"url":"([^"]*)"', text)
    return sorted({url for url in found if not url.startswith(("file:", "data:"))})


def unescaped(text: str) -> str:
    """Text of a serialised document."""
    for name, character in {"&lt;": "<", "&gt;": ">", "&nbsp;": "\xa0", "&amp;": "&"}.items():
        text = text.replace(name, character)
    return text
