"""Paired tests of graded measures: sign flips by scipy, Holm's correction by statsmodels."""

import numpy as np
import pandas as pd
from scipy import stats
from statsmodels.stats.multitest import multipletests

PERMUTATIONS = 9_999
BATCH = 1_000
FEWEST = 2  # pairs that a test can be made of


def sign_flip_p(differences: pd.DataFrame, seed: int) -> pd.Series:
    """Two-sided p of each column: are the paired differences (rows) as likely with either sign?

    The null distribution of the mean is made by random sign flips, the same for every column; all
    of them where there are fewer than `PERMUTATIONS`. A column of zeros has p = 1, and so has any
    with a single row.
    """
    if len(differences) < FEWEST:
        return pd.Series(1.0, differences.columns)
    test = stats.permutation_test(
        (differences.to_numpy(float).T,),
        lambda values, axis: values.mean(axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=PERMUTATIONS,
        batch=BATCH,
        axis=-1,
        rng=np.random.default_rng(seed),
    )
    return pd.Series(np.minimum(test.pvalue, 1.0), differences.columns)


def holm(p: pd.Series) -> pd.Series:
    """p-values corrected for their family by Holm's method."""
    return pd.Series(multipletests(p.to_numpy(), method="holm")[1], p.index)
