"""McNemar's tests and Holm's correction, by hand."""

import pandas as pd
from pytest import approx, mark

from agent_discovery.config import Intervals
from agent_discovery.evaluation.significance import (
    least_difference,
    mcnemar_p,
    mcnemar_power,
    paired_tests,
    power_table,
    summary,
)

INTERVALS = Intervals(resamples=100)


@mark.parametrize(
    ("b", "c", "exact", "asymptotic"),
    [
        (0, 0, 1.0, 1.0),
        # 2 * (1/2)^5; chi-squared (5 - 1)^2 / 5 = 3.2, whose upper tail is 0.073638.
        (5, 0, 0.0625, 0.073638),
        (0, 6, 0.03125, 0.041227),  # 25 / 6
        # 2 * (1 + 10 + 45) / 1024; (6 - 1)^2 / 10 = 2.5.
        (8, 2, 0.109375, 0.113846),
        (3, 3, 1.0, 0.683091),  # twice the half is cut to 1; (0 - 1)^2 / 6
    ],
)
def test_mcnemar_by_hand(b, c, exact, asymptotic):
    assert mcnemar_p(b, c, exact=True) == approx(exact, abs=1e-12)
    assert mcnemar_p(b, c, exact=False) == approx(asymptotic, abs=1e-6)


def values(rights: dict[tuple[int, str], str]) -> pd.DataFrame:
    rows = [
        (f"q{place}", n, method, float(bit))
        for (n, method), bits in rights.items()
        for place, bit in enumerate(bits)
    ]
    return pd.DataFrame(rows, columns=["qid", "n", "method", "right"])


def tested() -> pd.DataFrame:
    """At 10: b = 6, c = 0. At 20: no difference. At 30: b = 0, c = 5. At 40: b = 5, c = 0."""
    table = values(
        {
            (10, "A"): "11111110",
            (10, "B"): "10000000",
            (20, "A"): "11110000",
            (20, "B"): "11110000",
            (30, "A"): "00000001",
            (30, "B"): "11111001",
            (40, "A"): "11111000",
            (40, "B"): "00000000",
        }
    )
    return paired_tests(table, "right", [("A", "B")], INTERVALS).set_index("n")


def test_discordant_pairs_are_counted_and_the_effect_is_told():
    table = tested()
    counts = table[["queries", "both", "b", "c", "neither"]]
    assert counts.loc[10].tolist() == [8, 1, 6, 0, 1]
    assert counts.loc[20].tolist() == [8, 4, 0, 0, 4]
    assert counts.loc[30].tolist() == [8, 1, 0, 5, 2]
    assert table["difference"].tolist() == [0.75, 0.0, -0.625, 0.625]
    # 6 of 6: Clopper and Pearson's lower bound is 0.025^(1/6).
    assert table.loc[10, "cohens_g"] == 0.5
    assert table.loc[10, "cohens_g_low"] == approx(0.025 ** (1 / 6) - 0.5)
    assert table.loc[10, "cohens_g_high"] == 0.5
    assert table.loc[20, ["cohens_g", "cohens_g_low"]].isna().all()


def test_holm_by_hand_and_ties_keep_it_monotone():
    table = tested()
    # Exact p, rising: 0.03125, 0.0625, 0.0625, 1. Times 4, 3, 2, 1: the third would be 0.125, less
    # than the second's 0.1875, which it takes; the last is cut to 1.
    assert table["p_holm"].to_dict() == approx({10: 0.125, 30: 0.1875, 40: 0.1875, 20: 1.0})
    assert not table["significant"].any()
    assert (table["tests"] == 4).all()


def test_summary_counts_the_sizes_that_differ():
    table = tested().reset_index().assign(significant=[True, False, True, False])
    assert summary(table).to_dict("records") == [
        {"method": "A", "baseline": "B", "sizes": 4, "significant": 2}
    ]


def test_power_by_hand():
    # Five pairs can never give p < 0.05; six that all differ one way always do (0.03125).
    assert mcnemar_power(5, 1.0, 1.0) == 0
    assert mcnemar_power(6, 1.0, 1.0) == approx(1)
    # Six pairs that differ with chance 0.5 in one direction: all six must, 1/64.
    assert mcnemar_power(6, 0.5, 0.5) == approx(1 / 64)
    # Under the null, six differing pairs reject when all fall on one side: 2/64.
    assert mcnemar_power(6, 1.0, 0.0) == approx(2 / 64)
    assert pd.isna(mcnemar_power(60, 0.1, 0.2))


def test_the_least_difference_has_the_power_asked_for():
    found = least_difference(200, 0.2)
    assert mcnemar_power(200, 0.2, found) >= 0.8 > mcnemar_power(200, 0.2, found - 0.001)
    assert pd.isna(least_difference(5, 1.0))
    assert pd.isna(least_difference(60, 0.0))


def test_power_table_takes_the_observed_discordance():
    row = power_table(tested().reset_index()).set_index("n").loc[10]
    assert row["discordant"] == 0.75
    assert row["power_0.10"] == mcnemar_power(8, 0.75, 0.10)
