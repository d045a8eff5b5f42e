"""All methods by name, loaded when asked for."""

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple


class Entry(NamedTuple):
    """Where a method is, what it is, and what it needs."""

    module: str  # in hedgerow.rivals
    class_name: str
    summary: str
    needs: str | None = None  # package that `pip install 'hedgerow[rivals]'` brings
    parameters: Mapping[str, Any] = {}  # that make this method of the class
    data: tuple[str, ...] = ("numbers",)  # what it is for: "numbers", "signs" of two values


_BOTH, _SIGNS = ("numbers", "signs"), ("signs",)

REGISTRY: dict[str, Entry] = {
    "hedgerow": Entry(
        "_hedge", "Hedge", "HedgeGraph: one pass of Hedge, then tested edges", data=_BOTH
    ),
    "hedgerow_balanced": Entry(
        "_hedge",
        "Hedge",
        "HedgeGraph: where false and missed edges balance",
        parameters={"level": "balanced"},
        data=_BOTH,
    ),
    "ising": Entry(
        "_ising_graph", "IsingHedge", "IsingGraph: Hedge, then conditional tests", data=_SIGNS
    ),
    "ising_balanced": Entry(
        "_ising_graph",
        "IsingHedge",
        "IsingGraph: where false and missed edges balance",
        parameters={"level": "balanced"},
        data=_SIGNS,
    ),
    "sparsitron": Entry("_sparsitron", "Sparsitron", "SparsitronGraph: the paper's algorithm"),
    "glasso": Entry("_graphical_lasso", "GraphicalLasso", "graphical lasso, penalty by EBIC"),
    "quic": Entry("_quic", "Quic", "graphical lasso by Newton steps, penalty by EBIC"),
    "neighbourhoods": Entry(
        "_neighbourhoods", "NeighbourhoodSelection", "a lasso for each node, penalty by theory"
    ),
    "neighbourhoods_ebic": Entry(
        "_neighbourhoods",
        "NeighbourhoodSelection",
        "a lasso for each node, penalty by EBIC",
        parameters={"penalty": "ebic"},
    ),
    "clime": Entry("_clime", "Clime", "sparse near-inverse by linear programs"),
    "aclime": Entry("_aclime", "AdaptiveClime", "CLIME, each column with its own tolerance"),
    "inverse_gram": Entry("_inverse_gram", "InverseGram", "inverse Gram matrix, exact tests"),
    "scaled_lasso": Entry("_scaled_lasso", "ScaledLasso", "scaled lasso, tests without its bias"),
    "huge_mb_ric": Entry(
        "_huge", "Huge", "pyhuge: a lasso for each node, penalty by rotation", "pyhuge"
    ),
    "huge_mb_stars": Entry(
        "_huge",
        "Huge",
        "pyhuge: a lasso for each node, penalty by stability",
        "pyhuge",
        {"criterion": "stars"},
    ),
    "huge_glasso_ebic": Entry(
        "_huge",
        "Huge",
        "pyhuge: graphical lasso, penalty by EBIC",
        "pyhuge",
        {"method": "glasso", "criterion": "ebic"},
    ),
    "gglasso": Entry("_gglasso", "GGLasso", "gglasso: graphical lasso, penalty by EBIC", "gglasso"),
    "greedy_prune": Entry(
        "_greedy_prune", "GreedyPrune", "greedy choice by conditional variance, then pruning"
    ),
    "hybrid_mb": Entry(
        "_hybrid_mb", "HybridMB", "one greedy step, then the lasso on what it leaves"
    ),
    "pc": Entry("_pc", "PC", "PC skeleton: no separating set among the neighbours"),
    "conditional_covariance": Entry(
        "_conditional_covariance",
        "ConditionalCovariance",
        "thresholded conditional covariances, over all small separators",
    ),
    "exhaustive": Entry("_exhaustive", "Exhaustive", "best set of neighbours, all sets tried"),
    "pseudo_likelihood": Entry(
        "_pseudo_likelihood", "PseudoLikelihood", "largest fractional marginal pseudo-likelihood"
    ),
    "birth_death": Entry(
        "_birth_death", "BirthDeath", "posterior edge probabilities, from a walk among graphs"
    ),
    "hedgerow_signs": Entry(
        "_hedge",
        "Hedge",
        "HedgeGraph: two values taken as numbers",
        parameters={"columns": "normal"},
        data=_SIGNS,
    ),
    "sparsitron_ising": Entry(
        "_sparsitron_ising",
        "IsingSparsitron",
        "SparsitronIsing: Klivans and Meka's algorithm",
        data=_SIGNS,
    ),
    "logistic_ebic": Entry(
        "_ising_neighbourhoods",
        "LogisticNeighbourhoods",
        "a logistic lasso for each node, penalty by EBIC (eLasso)",
        data=_SIGNS,
    ),
    "logistic_cv": Entry(
        "_ising_neighbourhoods",
        "LogisticNeighbourhoods",
        "a logistic lasso for each node, penalty by folds",
        parameters={"penalty": "cv"},
        data=_SIGNS,
    ),
    "logistic": Entry(
        "_ising_neighbourhoods",
        "LogisticNeighbourhoods",
        "a logistic lasso for each node, penalty by theory (RPLE)",
        parameters={"penalty": "theory"},
        data=_SIGNS,
    ),
    "rise": Entry(
        "_interaction_screening", "InteractionScreening", "interaction screening", data=_SIGNS
    ),
    "logrise": Entry(
        "_interaction_screening",
        "InteractionScreening",
        "interaction screening, the logarithm of its loss",
        parameters={"loss": "logrise"},
        data=_SIGNS,
    ),
    "mean_field": Entry(
        "_ising_inversion",
        "IsingInversion",
        "Ising couplings by mean field, tested inverse",
        parameters={"approximation": "mean_field"},
        data=_SIGNS,
    ),
    "bethe": Entry(
        "_ising_inversion",
        "IsingInversion",
        "Ising couplings by Bethe's approximation, tested inverse",
        data=_SIGNS,
    ),
    "ising_exhaustive": Entry(
        "_ising_exhaustive",
        "IsingExhaustive",
        "best set of neighbours by logistic regression, all sets tried",
        data=_SIGNS,
    ),
}


def names(data: str | None = None) -> list[str]:
    """Return the names of all methods, whether or not their packages are installed.

    Parameters
    ----------
    data : {"numbers", "signs"}, optional
        Only those for numbers, or only those for columns of two values.

    Examples
    --------
    >>> from hedgerow import rivals
    >>> "hedgerow" in rivals.names()
    True
    >>> "rise" in rivals.names("numbers")
    False
    """
    return [name for name, entry in REGISTRY.items() if data is None or data in entry.data]


def why_not(name: str) -> str | None:
    """Return how to make a method available, or None if it is.

    Parameters
    ----------
    name : str
        One of `names`.

    Examples
    --------
    >>> from hedgerow import rivals
    >>> rivals.why_not("hedgerow")
    """
    needs = _entry(name).needs
    if needs is None or find_spec(needs) is not None:
        return None
    return f"{name} needs the package {needs}: pip install 'hedgerow[rivals]'"


def make(name: str, **parameters: Any) -> Any:
    """Return a method by name, not yet fitted.

    Parameters
    ----------
    name : str
        One of `names`.
    **parameters
        Of the method's class; those left out have the defaults that make up the method.

    Raises
    ------
    ValueError
        If there is no such method; the message lists them.
    ImportError
        If its package is absent; the message says how to install it.

    Examples
    --------
    >>> from hedgerow import rivals
    >>> rivals.make("hedgerow", level=0.1)
    Hedge(level=0.1)
    """
    entry = _entry(name)
    absent = why_not(name)
    if absent:
        raise ImportError(absent)
    return load_class(entry)(**{**entry.parameters, **parameters})


def load_class(entry: Entry) -> Any:
    """Return the class of an entry."""
    return getattr(import_module(f"hedgerow.rivals.{entry.module}"), entry.class_name)


def _entry(name: str) -> Entry:
    if name not in REGISTRY:
        raise ValueError(f"method must be one of {', '.join(REGISTRY)}, got {name!r}")
    return REGISTRY[name]
