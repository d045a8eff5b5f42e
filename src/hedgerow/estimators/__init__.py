"""Estimators that follow the scikit-learn contract: validate, call, store."""

from hedgerow.estimators._sparsitron import GuaranteeWarning, SparsitronGraph

__all__ = ["GuaranteeWarning", "SparsitronGraph"]
