"""Bootstrap intervals against a plain resampling of the same rows, one at a time."""

import warnings

import numpy as np
import pandas as pd
from pandas.testing import assert_frame_equal
from pytest import approx, fixture, mark

from agent_discovery.config import Intervals
from agent_discovery.evaluation import intervals as module
from agent_discovery.evaluation.intervals import increase_with_interval, mean_with_interval

SETTINGS = Intervals(resamples=500, seed=7)
ENDS = [2.5, 97.5]  # percentiles of a 95% interval


@fixture(scope="module")
def values() -> pd.DataFrame:
    """Two measures of 83 queries: hits, and reciprocal ranks."""
    rng = np.random.default_rng(1)
    reciprocal = 1 / rng.integers(1, 4, 83)
    return pd.DataFrame({"success@1": (reciprocal == 1).astype(float), "mrr@10": reciprocal})


@fixture(scope="module")
def baseline(values) -> pd.DataFrame:
    """What the same queries give to a method that loses a third of its hits."""
    kept = np.random.default_rng(2).random(len(values)) < 2 / 3
    return values.mul(kept, axis="index")


def resampled_rows(count: int) -> list[np.ndarray]:
    rng = np.random.default_rng(SETTINGS.seed)
    return [rng.integers(0, count, count) for _ in range(SETTINGS.resamples)]


def test_the_mean_and_its_interval_are_those_of_plain_resampling(values):
    table = mean_with_interval(values, SETTINGS)
    assert table.index.tolist() == ["success@1", "mrr@10"]
    for name, column in values.items():
        means = [column.to_numpy()[rows].mean() for rows in resampled_rows(len(column))]
        expected = [column.mean(), *np.percentile(means, ENDS)]
        assert table.loc[name, ["mean", "low", "high"]].tolist() == approx(expected, rel=1e-12)
        assert table.loc[name, "low"] < table.loc[name, "mean"] < table.loc[name, "high"]


def test_the_increase_is_resampled_in_pairs(values, baseline):
    table = increase_with_interval(values, baseline, SETTINGS)
    for name in values:
        ours, other = values[name].to_numpy(), baseline[name].to_numpy()
        increases = [ours[i].mean() / other[i].mean() - 1 for i in resampled_rows(len(ours))]
        expected = [ours.mean() / other.mean() - 1, *np.percentile(increases, ENDS)]
        assert table.loc[name, ["mean", "low", "high"]].tolist() == approx(expected, rel=1e-9)


@mark.parametrize("batch_values", [1, 83 * 2, 83 * 2 * 7, 10**9])
def test_the_batch_size_changes_nothing(values, baseline, monkeypatch, batch_values):
    mean = mean_with_interval(values, SETTINGS)
    increase = increase_with_interval(values, baseline, SETTINGS)
    monkeypatch.setattr(module, "BATCH_VALUES", batch_values)
    assert_frame_equal(mean_with_interval(values, SETTINGS), mean, check_exact=True)
    again = increase_with_interval(values, baseline, SETTINGS)
    assert_frame_equal(again, increase, check_exact=True)


def test_a_column_is_the_same_whatever_is_beside_it(values):
    alone = mean_with_interval(values[["mrr@10"]], SETTINGS)
    assert_frame_equal(alone, mean_with_interval(values, SETTINGS).loc[["mrr@10"]], rtol=1e-12)


def test_the_seed_decides(values):
    again = mean_with_interval(values, SETTINGS)
    assert_frame_equal(mean_with_interval(values, SETTINGS), again, check_exact=True)
    other = mean_with_interval(values, Intervals(resamples=500, seed=8))
    assert (other["mean"] == again["mean"]).all()
    assert (other[["low", "high"]] != again[["low", "high"]]).any(axis=None)


@mark.parametrize("value", [0.0, 1.0, 1 / 3])
def test_a_constant_column_has_no_width(value):
    table = mean_with_interval(pd.DataFrame({"m": [value] * 50}), SETTINGS)
    assert table.loc["m"].tolist() == approx([value] * 3, rel=1e-12)


def test_a_single_query_has_no_interval():
    one = pd.DataFrame({"m": [0.25]})
    assert mean_with_interval(one, SETTINGS).loc["m", "mean"] == 0.25
    increase = increase_with_interval(one, pd.DataFrame({"m": [0.2]}), SETTINGS)
    assert increase.loc["m", "mean"] == approx(0.25)
    for table in (mean_with_interval(one, SETTINGS), increase):
        assert table[["low", "high"]].isna().all(axis=None)


def test_an_increase_by_hand():
    """Half against a quarter is twice as much, in every resample where both are in proportion."""
    values = pd.DataFrame({"m": [1.0, 0.5, 0.75]})
    table = increase_with_interval(values, values / 2, SETTINGS)
    assert table.loc["m"].tolist() == approx([1.0, 1.0, 1.0])
    fallen = increase_with_interval(values / 2, values, SETTINGS)
    assert fallen.loc["m"].tolist() == approx([-0.5, -0.5, -0.5])


@mark.parametrize(
    ("baseline", "mean"),
    [([0.0, 0.0, 0.0], np.nan), ([0.0, 0.0, 1.0], 0.0)],
    ids=["everywhere", "in some resamples"],
)
def test_an_increase_over_zero_is_empty_and_silent(baseline, mean):
    values = pd.DataFrame({"m": [1.0, 0.0, 0.0], "fine": [1.0, 1.0, 1.0]})
    other = pd.DataFrame({"m": baseline, "fine": [0.5, 0.5, 0.5]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = increase_with_interval(values, other, SETTINGS)
    assert table.loc["m"].tolist() == approx([mean, np.nan, np.nan], nan_ok=True)
    assert table.loc["fine"].tolist() == approx([1.0, 1.0, 1.0])
