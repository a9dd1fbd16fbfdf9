"""Files of claims: what is refused, and why."""

import yaml
from claim_examples import FIGURE, SHAPE
from corpus_files import refusal
from pytest import mark

from agent_discovery.reporting.claims import read_claims


def without(claim: dict, key: str) -> dict:
    return {name: value for name, value in claim.items() if name != key}


WRONG = [
    ({**FIGURE, "tolerence": 1}, "tolerence"),
    ({**FIGURE, "ours": {**FIGURE["ours"], "rows": {}}}, "ours.rows"),
    ({**FIGURE, "made": "calibrated"}, "made"),
    ({**FIGURE, "kind": "number"}, "kind"),
    ({**FIGURE, "class": "adjusted"}, "class"),
    ({**FIGURE, "value": "high"}, "value"),
    ({**FIGURE, "value": float("nan")}, "value"),
    ({**FIGURE, "tolerance": -1}, "tolerance"),
    (without(FIGURE, "says"), "says"),
    (without(FIGURE, "value"), "`value`"),
    (without(FIGURE, "tolerance"), "`tolerance`"),
    ({**FIGURE, "needs": {"k": 10}}, "`rq`"),
    ({**FIGURE, "holds": "positive"}, "`holds`"),
    (without(SHAPE, "holds"), "`holds`"),
    ({**SHAPE, "holds": "equal"}, "`value`"),
    ({**FIGURE, "ours": {**FIGURE["ours"], "over": {"n": 1}}}, "`as`"),
    ({**FIGURE, "ours": {**FIGURE["ours"], "as": "increase"}}, "`over`"),
]


@mark.parametrize(("claim", "what"), WRONG)
def test_a_claim_that_could_not_be_judged_is_refused(tmp_path, claim, what):
    path = tmp_path / "claims.yaml"
    path.write_text(yaml.safe_dump({"paper": "SSR", "claims": [{**SHAPE, "id": "fine"}, claim]}))
    message = refusal(read_claims, path)
    assert message.startswith(f"{path}: claim 2 ({claim['id']}): ") and what in message


@mark.parametrize(
    "content",
    [
        "",
        "paper: SSR",
        "claims: []",
        "paper: SSR\nclaims: 3",
        "- a\n- b",
        "paper: [",
        b"\xff\xfe\0",
    ],
)
def test_a_file_without_claims_is_refused(tmp_path, content):
    path = tmp_path / "claims.yaml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert refusal(read_claims, path).startswith(f"{path}: ")
    assert refusal(read_claims, tmp_path / "absent.yaml").startswith(f"{tmp_path / 'absent.yaml'}")


def test_a_claim_id_is_there_once(tmp_path):
    path = tmp_path / "claims.yaml"
    path.write_text(yaml.safe_dump({"paper": "SSR", "claims": [FIGURE, {**SHAPE, "id": "figure"}]}))
    assert "'figure'" in refusal(read_claims, path)


@mark.parametrize("other", ["gone", "shape"])
def test_a_reading_is_of_a_published_claim(tmp_path, other):
    path = tmp_path / "claims.yaml"
    path.write_text(yaml.safe_dump({"paper": "SSR", "claims": [FIGURE, {**SHAPE, "of": other}]}))
    assert "is no published claim" in refusal(read_claims, path)
    path.write_text(yaml.safe_dump({"paper": "SSR", "claims": [FIGURE, {**SHAPE, "of": "figure"}]}))
    assert [claim.of for claim in read_claims(path)[1]] == [None, "figure"]
