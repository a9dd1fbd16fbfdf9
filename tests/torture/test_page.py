"""What docs/reliability.md says of `make torture` is of a whole run of it, which passed."""

import re

from figures import COUNTED, KILLS, VIOLATIONS
from pytest import mark
from reliability_figures import PAGE, TORTURED


@mark.skipif(KILLS is not None, reason="make torture makes the figures")
def test_the_page_has_the_figures_of_a_whole_run():
    part = TORTURED.search(PAGE.read_text(encoding="utf-8"))[0]
    found = {
        told: int(number.replace(",", ""))
        for told, number in re.findall(r"^\| ([^|]+) \| ([\d,]+) \|$", part, flags=re.MULTILINE)
    }
    assert found["tests failed"] == 0
    assert [found[COUNTED[name]] for name in VIOLATIONS] == [0] * len(VIOLATIONS)
    assert found[COUNTED["kills"]] >= 100 and found[COUNTED["calls"]] >= 2000
    assert found["inputs tried (fuzz)"] >= 100_000
