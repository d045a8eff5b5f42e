"""The registry of families, and the function that makes a model of any of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from scipy.sparse import csc_array

from hedgerow.base.checks import integer_at_least, one_of, positive
from hedgerow.datasets import _graphs as graphs
from hedgerow.datasets import _strength as rules
from hedgerow.datasets._graphs import Graph, options_of, refuse_unknown
from hedgerow.datasets._model import Model
from hedgerow.datasets._strength import Rule


class Family(NamedTuple):
    """How to draw a graph, how to weigh its edges, and the fewest variables that make sense."""

    summary: str
    graph: Callable[..., Graph]
    rule: Rule
    smallest: int

    @property
    def options(self) -> dict[str, Any]:
        """Names and defaults of the options; None where strength or size decides the value."""
        options = options_of(self.graph)
        if self.rule.parameter != "strength":
            options[self.rule.parameter] = None
        return options


_EQUAL = rules.Equal()
FAMILIES: dict[str, Family] = {
    "chain": Family("A path.", graphs.chain, _EQUAL, 2),
    "cycle": Family("A ring.", graphs.cycle, _EQUAL, 3),
    "grid": Family("A square lattice.", graphs.grid, _EQUAL, 2),
    "random_regular": Family(
        "Random, every node with the same degree.", graphs.random_regular, _EQUAL, 2
    ),
    "erdos_renyi": Family("Every pair equally likely.", graphs.erdos_renyi, _EQUAL, 2),
    "barabasi_albert": Family(
        "Scale-free: new nodes prefer well-connected ones.", graphs.barabasi_albert, _EQUAL, 2
    ),
    "watts_strogatz": Family(
        "Small world: a ring with a few long edges.", graphs.watts_strogatz, _EQUAL, 3
    ),
    "star": Family("One hub.", graphs.star, _EQUAL, 2),
    "hubs": Family("Several stars.", graphs.hubs, _EQUAL, 4),
    "band": Family("Each node joined to the next few.", graphs.band, _EQUAL, 2),
    "cluster": Family("Random graphs on separate blocks.", graphs.cluster, _EQUAL, 2),
    "cliques": Family("Complete graphs on separate blocks.", graphs.cliques, _EQUAL, 2),
    "random_tree": Family("A uniform random tree.", graphs.random_tree, _EQUAL, 2),
    "ar1": Family(
        "Autoregressive series: strong correlation along a path.",
        graphs.chain,
        rules.AutoRegressive(),
        4,
    ),
    "brownian_path": Family(
        "Brownian motion: correlations do not fade.", graphs.chain, rules.Brownian(), 4
    ),
    "free_field": Family(
        "Gaussian free field on a lattice: slow decay of correlation.",
        graphs.grid,
        rules.FreeField(),
        2,
    ),
    "path_cliques": Family(
        "A Brownian path beside nearly singular cliques.",
        graphs.path_cliques,
        rules.PathAndCliques(),
        8,
    ),
    "near_copies": Family(
        "A chain, each variable with near copies of itself.",
        graphs.near_copies,
        rules.NearCopies(),
        4,
    ),
}
SIGNS = ("attractive", "mixed")


def make(
    family: str,
    p: int,
    *,
    strength: float | None = None,
    signs: str = "attractive",
    seed: int | Generator | None = None,
    **options: Any,
) -> Model:
    """Make a model of a family: the same arguments give the same model.

    Parameters
    ----------
    family : str
        A key of `FAMILIES`.
    p : int
        Number of variables.
    strength : float, optional
        Smallest absolute partial correlation over the edges, κ. By default each family takes a
        value that suits it. `max_strength` is the largest possible.
    signs : {"attractive", "mixed"}, default "attractive"
        All partial correlations positive, or each with a random sign.
    seed : int or Generator, optional
        Decides the graph, where it is random, and the signs.
    **options
        Options of the family, as listed by ``FAMILIES[family].options``.

    Returns
    -------
    Model

    Examples
    --------
    >>> from hedgerow.datasets import make
    >>> model = make("random_regular", 20, strength=0.2, signs="mixed", seed=1, degree=3)
    >>> len(model.edges), round(model.strength, 6)
    (30, 0.2)
    """
    entry, graph, sign = _draw(family, p, signs, seed, options)
    limit = entry.rule.limit(graph, sign)
    asked = _asked(entry.rule, graph, strength, options)
    kappa = entry.rule.default(graph, limit) if asked is None else asked
    if kappa > limit:
        raise ValueError(
            f"strength must be at most {_round_down(limit)} for {family} with p = {graph.size} "
            f"and {signs} signs, got {kappa!r}"
        )
    couplings, diagonal = entry.rule.weigh(graph, kappa)
    return Model(family, _precision(graph, sign * couplings, diagonal))


def max_strength(
    family: str,
    p: int,
    *,
    signs: str = "attractive",
    seed: int | Generator | None = None,
    **options: Any,
) -> float:
    """Largest strength that `make` accepts with the same arguments.

    Examples
    --------
    >>> from hedgerow.datasets import max_strength
    >>> round(max_strength("star", 101), 4)
    0.1
    """
    entry, graph, sign = _draw(family, p, signs, seed, options)
    return entry.rule.limit(graph, sign)


def _draw(
    family: str, p: int, signs: str, seed: int | Generator | None, options: dict[str, Any]
) -> tuple[Family, Graph, np.ndarray]:
    """Check the arguments, then draw the graph and the sign of each edge."""
    entry = FAMILIES[one_of("family", family, tuple(FAMILIES))]
    p = integer_at_least("p", p, entry.smallest)
    one_of("signs", signs, SIGNS)
    refuse_unknown(options, family, entry.options)
    rng = np.random.default_rng(seed)
    of_graph = {name: options[name] for name in options if name != entry.rule.parameter}
    graph = entry.graph(p, rng, **of_graph)
    if signs == "mixed":
        return entry, graph, rng.choice([-1.0, 1.0], len(graph.edges))
    return entry, graph, np.ones(len(graph.edges))


def _asked(
    rule: Rule, graph: Graph, strength: float | None, options: dict[str, Any]
) -> float | None:
    """The strength asked for, directly or through the family's own parameter, if at all."""
    own = options.get(rule.parameter)
    if own is None:
        return None if strength is None else positive("strength", strength)
    if strength is not None:
        raise ValueError(f"strength must not be given together with {rule.parameter}")
    return rule.strength(graph, own)


def _precision(graph: Graph, couplings: np.ndarray, diagonal: np.ndarray) -> csc_array:
    """Symmetric matrix with ``-couplings`` on the edges, so that a positive coupling attracts."""
    i, j = graph.edges.T
    node = np.arange(graph.size)
    values = np.r_[-couplings, -couplings, diagonal]
    return csc_array((values, (np.r_[i, j, node], np.r_[j, i, node])), shape=(graph.size,) * 2)


def _round_down(value: float) -> float:
    """The value cut, never rounded up, to four significant digits."""
    unit = 10.0 ** (np.floor(np.log10(value)) - 3)
    return float(f"{np.floor(value / unit) * unit:.4g}")
