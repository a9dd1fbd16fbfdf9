"""Paired tests of two methods on the same queries (SSR, Table V): McNemar's, Holm-corrected.

The statistics are statsmodels' and scipy's. Values are one bit a query: right or wrong.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from agent_discovery.config import Intervals
from agent_discovery.evaluation.intervals import columns, mean_with_interval

ALPHA = 0.05
POWER = 0.8
# How finely the least detectable difference is searched for.
STEP = 0.001
DIFFERENCES = (0.05, 0.10, 0.15)


def paired_tests(
    values: pd.DataFrame, measure: str, pairs: Sequence[tuple[str, str]], intervals: Intervals
) -> pd.DataFrame:
    """McNemar's test of each (method, baseline) at each N; all of them are one Holm family.

    values: qid, n, method and `measure` (0 or 1), every method on the same queries. `b` counts the
    queries that only the method gets right, `c` those that only the baseline does. `p_exact` is
    the binomial test of b among b + c, `p_asymptotic` the chi-squared one with continuity
    correction; `p_holm` corrects the exact ones. `difference` is the method's rate less the
    baseline's, with its bootstrap interval; `cohens_g` is b / (b + c) - 1/2, with its
    Clopper-Pearson interval (empty where the methods differ on no query).
    """
    rows = []
    for n, at_size in values.groupby("n", sort=True):
        wide = at_size.pivot(index="qid", columns="method", values=measure)
        for method, baseline in pairs:
            rows.append(
                {"n": n, "method": method, "baseline": baseline, "measure": measure}
                | _tested(wide[method], wide[baseline], intervals)
            )
    table = pd.DataFrame(rows)
    corrected = multipletests(table["p_exact"], ALPHA, method="holm")[1]
    place = table.columns.get_loc("p_exact") + 1
    table.insert(place, "p_holm", corrected)
    table.insert(place + 1, "significant", corrected < ALPHA)
    return table.assign(tests=len(table))


def _tested(method: pd.Series, baseline: pd.Series, intervals: Intervals) -> dict[str, float]:
    b, c = (
        int(((method == 1) & (baseline == 0)).sum()),
        int(((method == 0) & (baseline == 1)).sum()),
    )
    both = int(((method == 1) & (baseline == 1)).sum())
    difference = mean_with_interval((method - baseline).to_frame(), intervals).iloc[0]
    return {
        "queries": len(method),
        "both": both,
        "b": b,
        "c": c,
        "neither": len(method) - both - b - c,
        "p_exact": mcnemar_p(b, c, exact=True),
        "p_asymptotic": mcnemar_p(b, c, exact=False),
        **columns("difference", difference),
        **columns("cohens_g", _cohens_g(b, c)),
    }


def mcnemar_p(b: int, c: int, exact: bool) -> float:
    """McNemar's p of b and c discordant pairs; 1 if there are none."""
    if b + c == 0:
        return 1.0
    return float(mcnemar([[0, b], [c, 0]], exact=exact, correction=True).pvalue)


def _cohens_g(b: int, c: int) -> tuple[float, float, float]:
    """McNemar's effect size: how far the share of b among b + c is from a half; with its bounds."""
    if b + c == 0:
        return (float("nan"),) * 3
    low, high = proportion_confint(b, b + c, ALPHA, method="beta")
    return b / (b + c) - 0.5, low - 0.5, high - 0.5


def summary(tests: pd.DataFrame) -> pd.DataFrame:
    """A row a pair: at how many sizes it was tested, and at how many it differs after Holm."""
    grouped = tests.groupby(["method", "baseline"], sort=False)["significant"]
    return grouped.agg(sizes="size", significant="sum").reset_index()


def power_table(tests: pd.DataFrame) -> pd.DataFrame:
    """What each of some tests could have found: its power, before correction.

    The share of queries on which the two methods differ is taken as observed. `least_difference`
    is the smallest difference of rates that the exact test finds with a power of 0.8; empty where
    even the largest possible, that share itself, is found less often.
    """
    rows = []
    for test in tests.to_dict("records"):
        discordant = (test["b"] + test["c"]) / test["queries"]
        row = {name: test[name] for name in ("n", "method", "baseline", "measure", "queries")}
        row["discordant"] = discordant
        for difference in DIFFERENCES:
            row[f"power_{difference:.2f}"] = mcnemar_power(test["queries"], discordant, difference)
        row["least_difference"] = least_difference(test["queries"], discordant)
        rows.append(row)
    return pd.DataFrame(rows)


def mcnemar_power(queries: int, discordant: float, difference: float) -> float:
    """The chance that the exact test rejects at 0.05, given the true rates.

    discordant: share of queries on which the methods differ; difference: of the methods' rates,
    at most `discordant` (else NaN). Exact: summed over the binomial number m of discordant pairs.
    """
    if difference > discordant:
        return float("nan")
    m = np.arange(queries + 1)
    # The two-sided test rejects at b <= least or b >= m - least.
    least = stats.binom.ppf(ALPHA / 2, m, 0.5)
    least -= 2 * stats.binom.cdf(least, m, 0.5) > ALPHA
    share = (discordant + difference) / (2 * discordant) if discordant else 0.5
    rejected = stats.binom.cdf(least, m, share) + stats.binom.cdf(least, m, 1 - share)
    return float(stats.binom.pmf(m, queries, discordant) @ rejected)


def least_difference(queries: int, discordant: float) -> float:
    """The smallest difference found with a power of 0.8, to a thousandth; NaN if there is none."""
    for difference in np.arange(STEP, discordant + STEP / 2, STEP):
        if mcnemar_power(queries, discordant, min(difference, discordant)) >= POWER:
            return float(difference)
    return float("nan")
