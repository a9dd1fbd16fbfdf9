"""95% intervals: percentile bootstrap over queries by scipy, Wilson's for rates by statsmodels."""

import warnings
from collections.abc import Callable, Iterable

import numpy as np
import pandas as pd
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from agent_discovery.config import Intervals

CONFIDENCE = 0.95
BATCH_VALUES = 4_000_000


def mean_with_interval(values: pd.DataFrame, intervals: Intervals) -> pd.DataFrame:
    """Each column's mean over rows with its interval.

    values: (queries, measures). Returns a row a measure: `mean`, `low`, `high`. The interval of a
    single query is empty. Calls with as many queries resample the same ones.
    """
    return _with_interval([values], np.mean, intervals)


def rate_with_interval(values: pd.Series) -> tuple[float, float, float]:
    """The share of ones among zeros and ones, with its binomial interval (Wilson's score).

    Unlike a bootstrap's, it has a width where all values are equal. Empty for no values.
    """
    if values.empty:
        return (float("nan"),) * 3
    low, high = proportion_confint(int(values.sum()), len(values), 1 - CONFIDENCE, "wilson")
    return float(values.mean()), float(low), float(high)


def columns(name: str, found: Iterable[float]) -> dict[str, float]:
    """A value and its interval as columns of a table; found: value, low, high."""
    value, low, high = found
    return {name: value, f"{name}_low": low, f"{name}_high": high}


def clustered_mean_with_interval(
    values: pd.DataFrame, clusters: pd.Series, intervals: Intervals
) -> pd.DataFrame:
    """Each column's mean over rows, its interval by resampling whole clusters of rows.

    values: (rows, measures); clusters: what each row belongs to. With a row a cluster it is
    `mean_with_interval`.
    """
    groups = values.groupby(clusters.to_numpy())
    sums, sizes = groups.sum(), groups.size()
    counts = pd.DataFrame({name: sizes for name in values.columns}).set_axis(
        values.columns, axis="columns"
    )
    return _with_interval([sums, counts], _ratio, intervals)


def _ratio(sums: np.ndarray, counts: np.ndarray, axis: int = -1) -> np.ndarray:
    return sums.sum(axis=axis) / counts.sum(axis=axis)


def increase_with_interval(
    values: pd.DataFrame, baseline: pd.DataFrame, intervals: Intervals
) -> pd.DataFrame:
    """The same for mean(values) / mean(baseline) - 1, paired by row; empty for x / 0.

    The interval is empty too where a resample has x / 0.
    """
    return _with_interval([values, baseline], _increase, intervals)


def _increase(values: np.ndarray, baseline: np.ndarray, axis: int = -1) -> np.ndarray:
    mean = baseline.mean(axis=axis)
    return (
        np.divide(values.mean(axis=axis), mean, out=np.full_like(mean, np.nan), where=mean != 0) - 1
    )


def _with_interval(
    samples: list[pd.DataFrame], statistic: Callable, intervals: Intervals
) -> pd.DataFrame:
    data = [sample.to_numpy(float).T for sample in samples]
    table = pd.DataFrame(
        {"mean": statistic(*data, axis=-1), "low": np.nan, "high": np.nan}, samples[0].columns
    )
    if len(samples[0]) > 1:
        table["low"], table["high"] = _interval(data, statistic, intervals)
    return table


def _interval(
    data: list[np.ndarray], statistic: Callable, intervals: Intervals
) -> tuple[np.ndarray, np.ndarray]:
    """Low and high of each measure. data: arrays of shape (measures, queries)."""
    with warnings.catch_warnings():  # scipy warns of an empty interval, which says it itself
        warnings.simplefilter("ignore", stats.DegenerateDataWarning)
        found = stats.bootstrap(
            data,
            statistic,
            axis=-1,
            paired=True,
            vectorized=True,
            n_resamples=intervals.resamples,
            batch=max(1, BATCH_VALUES // data[0].size),
            confidence_level=CONFIDENCE,
            method="percentile",
            rng=np.random.default_rng(intervals.seed),
        )
    return found.confidence_interval
