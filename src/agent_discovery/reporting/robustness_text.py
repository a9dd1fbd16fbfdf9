"""The robustness tables as a reader sees them: a row an attack (or method), and what to beware of.

The CSV has more: counts, blind picks, tokens, what each attack costs in accuracy.
"""

import pandas as pd

from agent_discovery.reporting.tables import with_intervals

HEADS = {"attack": "adversarial card", "author_knows": "its author knows"}
STAND_IN = (
    "The arbiter is a stand-in that picks by shared words and reads no instruction: where it "
    "chooses an injection, it is for the words around it, and the two prompts cannot differ but in "
    "tokens. docs/reliability.md has a small real model's answers, and says how to ask another."
)
WORST = "Every tie goes to the adversarial card, whose author may choose its id."
VECTORS = (
    "Claimed texts are copies of honest ones, so their recorded vectors are exact. A new text, "
    "such as an injection, would need the model; it is measured by words alone (reach)."
)


def view(kind: str, table: pd.DataFrame) -> pd.DataFrame:
    """The cells of one of the tables `reach`, `choice` and `claims`."""
    if kind == "claims":
        recall = next(name for name in table if name.startswith("recall@"))
        names = {"in_pool": "{}", recall: f"{{}}: {recall}"}
        return _beside(table, ["view", "encoder", "method"], "attack", names)
    if kind == "choice":
        table = table[table["attack"] != "none"].reset_index(drop=True)
        table = table.assign(how=table["method"] + ", " + table["prompt"] + " prompt")
        names = {"chosen": "{}"}
    else:
        table = table.assign(how=table["method"])
        names = {"in_pool": "{}", "candidate_recall": "{}: recall"}
    return _beside(table, list(HEADS), "how", names).rename(columns=HEADS)


def _beside(
    table: pd.DataFrame, keys: list[str], column: str, names: dict[str, str]
) -> pd.DataFrame:
    """A row for each of `keys`, a column for each value of `column` and measure of `names`."""
    table = table.fillna({key: "" for key in keys})
    wanted = [f"{name}{end}" for name in names for end in ("", "_low", "_high")]
    cells = with_intervals(table[[name for name in wanted if name in table]])
    cells = pd.concat([table[[*keys, column]], cells], axis="columns")
    found = cells[keys].drop_duplicates()
    for name, head in names.items():
        for value, rows in cells.groupby(column, sort=False):
            cell = rows[[*keys, name]].rename(columns={name: head.format(value)})
            found = found.merge(cell, on=keys, how="left").fillna("")
    return found.drop(columns="none", errors="ignore")


def note(kind: str, table: pd.DataFrame) -> str:
    """What stands below a table."""
    if kind == "reach":
        return f"Share of {table['queries'].iloc[0]} requests whose pool holds the card. {WORST}"
    if kind == "claims":
        return f"Share of tasks whose K agents hold the adversarial one. {WORST} {VECTORS}"
    spent = table.groupby(["method", "prompt"])["mean_input_tokens"].mean().unstack()
    tokens = "; ".join(
        f"{method} {row['plain']:,.0f} and {row['hardened']:,.0f}"
        for method, row in spent.iterrows()
    )
    stand_in = STAND_IN if "stand-in" in table["arbiter"].iloc[0] else ""
    return (
        f"Arbiter: {table['arbiter'].iloc[0]}. Share of {table['queries'].iloc[0]} requests for "
        f"which the card is chosen. Input tokens a call, plain and hardened: {tokens}. {stand_in}"
    )
