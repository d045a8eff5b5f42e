"""Estimators that follow the scikit-learn contract: validate, call, store."""

from hedgerow.estimators._difference import Difference, difference
from hedgerow.estimators._hedge import HedgeGraph
from hedgerow.estimators._ising import IsingGraph
from hedgerow.estimators._sparsitron import SparsitronGraph
from hedgerow.estimators._sparsitron_ising import SparsitronIsing
from hedgerow.estimators._warnings import DataWarning, GuaranteeWarning
from hedgerow.estimators.grouping import difference_by

__all__ = [
    "DataWarning",
    "Difference",
    "GuaranteeWarning",
    "HedgeGraph",
    "IsingGraph",
    "SparsitronGraph",
    "SparsitronIsing",
    "difference",
    "difference_by",
]
