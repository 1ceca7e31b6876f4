"""Candidates that "auto" compares, those of the 121-set study."""

import numpy as np

#: Ridge strengths.
STRENGTHS = 2.0 ** np.arange(-14, 6)
#: Ranges of the random weights of a network.
SCALES = 2.0 ** np.arange(-5, 3)
#: Numbers of the scales that "auto" tries first, before the neighbours of the best one.
SCALE_STARTS = (4,)
