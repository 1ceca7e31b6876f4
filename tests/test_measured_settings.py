"""Constants of our own on which the committed rows depend.

They were chosen by reasoning or on the development sets. Whoever changes one changes answers: the
studies must be run again, and the rows with them.
"""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from kernsemble import calibration, combine, strengths
from kernsemble.members import (
    additive,
    boosted,
    boosted_plan,
    co_ridge,
    forest,
    kernel_width,
    library,
    metric_ridge,
    mhks_search,
    networks,
    projected,
    ridge_walk,
    rvfl,
    training_views,
)
from kernsemble.solvers import metric, stacking
from kernsemble.trees import bins

#: Module, constant, value.
CONSTANTS = [
    (combine, "PRIOR_SHARE", 0.1),
    (combine, "PRIOR_OF_FEW", 100.0),
    (combine, "MIN_SCALE", 0.3),
    (combine, "BIAS_COST", 3.0),
    (combine, "POOL_DOUBT", 0.25),
    (combine, "DOUBT_OF_FEW", 10.0),
    (calibration, "DEFAULT_TEMPERATURE", 0.5),
    (calibration, "FACTOR_COST", 0.25),
    (calibration, "LEAST_SCALE", 0.5),
    (metric, "MAX_OUTPUTS", 6),
    (stacking, "ALPHAS", 10.0 ** np.arange(0.0, -8.0, -1.0)),
    (additive, "INVERSE_STRENGTHS", (0.01, 0.1, 1.0, 10.0)),
    (boosted, "ROWS", (6000, 100_000, 400_000)),
    (boosted, "LEARNING_RATES", (0.1, 0.1, 0.2, 0.3)),
    (boosted, "CLASSES_RATE", 0.15),
    (boosted, "L2_REGULARIZATION", (5.0, 5.0, 20.0, 20.0)),
    (boosted, "MAX_LEAVES", (15, 31, 31, 31)),
    (boosted, "TREE_SHARES", (1.0, 0.7, 0.85, 0.85)),
    (boosted, "SPLIT_SHARES", (0.5, 0.5, 0.85, 0.85)),
    (boosted, "MAX_TREE_COLUMNS", 500),
    (boosted, "MAX_LEAF_ROWS", ((20, 20, 100, 100), (10, 10, 50, 50))),
    (bins, "MAX_BINS", 128),
    (bins, "N_GRIDS", 4),
    (boosted, "PRIOR_ROWS", 5.0),
    (forest, "MIN_DECREASE", 1e-5),
    (kernel_width, "SAMPLE_ROWS", 300),
    (kernel_width, "N_WIDTHS", 5),
    (boosted_plan, "BOOSTED_TREES", (40, 100, 200, 400)),
    (boosted_plan, "OTHERS_SHARES", (0.5, 1.0)),
    (boosted_plan, "MOST_TREES", 400),
    (boosted_plan, "LEAST_TREES", 250),
    (boosted_plan, "LEAST_MODELS", 2),
    (boosted_plan, "MAX_VALUES", 2 * 10**7),
    (boosted_plan, "MAX_READ", 16 * 10**9),
    (boosted_plan, "MODEL_ROWS", 10**6),
    (library, "FOREST_TREES", (50, 100, 200)),
    (library, "TASK_TREES", 20),
    (library, "FEW_TREE_ROWS", 2000),
    (library, "GROUP_SIZE", 3),
    (library, "TREES_PER_ROTATION", 10),
    (metric_ridge, "EXACT_FOLDS", (4, 16)),
    (metric_ridge, "FOLDED_ROWS", 4000),
    (metric_ridge, "METRIC_ROWS", 600),
    (metric_ridge, "METRIC_SHARE", 0.1),
    (metric_ridge, "N_ROUNDS", 2),
    (mhks_search, "TUNING_ROWS", 300),
    (mhks_search, "ALPHAS", 2.0 ** np.arange(-14.0, 7.0, 2.0)),
    (mhks_search, "COUPLINGS", (0.0, 0.25, 1.0, 4.0, 16.0)),
    (mhks_search, "MAX_LANDMARKS", 2000),
    (mhks_search, "MAX_ROWS", 2000),
    (mhks_search, "PRESELECTED_ROWS", 100_000),
    (mhks_search, "N_FOLDS", 5),
    (strengths, "SCALE_STARTS", (4,)),
    (co_ridge, "COUPLING_STEP", 3),
    (rvfl, "MIN_GAIN", 0.003),
    (ridge_walk, "SAMPLE_ROWS", 160),
    (ridge_walk, "SAMPLE_SHARE", 0.25),
    (ridge_walk, "KERNEL_STEP", 4),
    (ridge_walk, "MAX_FACTORS", 3),
    (ridge_walk, "STEPS", ((1, 0), (-1, 0), (0, -1), (0, 1))),
    (networks, "TASK_NETWORKS", 25),
    (networks, "N_HONEST", 100),
    (projected, "N_LEVELS", 256),
    (projected, "N_SAMPLED", 10_000),
    (projected, "N_COMPONENTS", (2, 5, 10, 20, 50)),
    (training_views, "TUNING_ROWS", 250),
    (training_views, "EXACT_ROWS", 1000),
    (training_views, "FIRST_ROWS", 4000),
    (training_views, "FEW_ROWS", 8000),
    (training_views, "LANDMARKS", (200, 600, 1200, 2400)),
    (training_views, "WORK", 1.5e11),
    (training_views, "SCORED_ROWS", 50_000),
    (training_views, "N_FOLDS", 5),
    (training_views, "ALPHAS", 2.0 ** np.arange(-14, 7)),
]


@pytest.mark.parametrize(
    ("module", "name", "value"),
    CONSTANTS,
    ids=[f"{module.__name__.rpartition('.')[2]}-{name}" for module, name, _ in CONSTANTS],
)
def test_the_constant_is_the_one_that_the_rows_were_made_with(module, name, value):
    assert_array_equal(getattr(module, name), value)
