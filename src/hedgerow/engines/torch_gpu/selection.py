"""Forward selection of every node's neighbours and least squares on them, many nodes at once.

The recurrences are those of `method.neighbours.select`: each step needs one new direction for
every node that still selects, and its products with all columns are one matrix product. Whatever
ends up in a result (basis, residuals, coefficients) is computed in float32 from the rows.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from hedgerow.engines.torch_gpu import selection_kernel
from hedgerow.engines.torch_gpu.devices import in_turn, with_room
from hedgerow.engines.torch_gpu.layout import TILE, Settings
from hedgerow.engines.torch_gpu.scores import z_at, z_score
from hedgerow.progress import report

STRIP_BYTES = 8 << 30  # memory for one of the two arrays of a strip
_BLOCK = 2048  # columns that one program of the kernel handles
_MOST_IN_BASIS = 8  # directions of a node, by which it is asked whether a device has room


class Rules(NamedTuple):
    """The constants of `hedgerow.method.neighbours`."""

    level: float  # of each node's selection
    most: int  # neighbours of a node
    n_rows: float  # that the tests count with
    hubs: tuple[int, ...] = ()  # which all nodes are given first


class Step(NamedTuple):
    """The directions in which one step of the selection went, of the nodes that made it."""

    nodes: Tensor  # in order
    vectors: Tensor  # (nodes, m); scaled as `layout.padded` does


class Refit(NamedTuple):
    """Least-squares fit of every node on its neighbours; -1 and 0 fill the rows up."""

    neighbours: Tensor  # (p, most used)
    coefficients: Tensor  # (p, most used)
    sizes: Tensor  # (p,)
    residuals: Tensor  # (p, m), float32
    unexplained: Tensor  # (p,); mean square of the residuals
    scores: Tensor  # (i, j): z of the two given i's neighbours, where j is not one; whole tiles
    steps: list[Step]  # from which scores are made again, where none are held
    n_rows: float  # that the tests count with: the effective ones


def refit(columns: Tensor, fast_columns: Tensor, rules: Rules, settings: Settings) -> Refit:
    """Choose the neighbours of every node and regress the node on them.

    ``columns`` is of shape (p, m): the standardised columns, in float32; ``fast_columns`` the same
    in the type in which they are multiplied, filled up to whole tiles.
    """
    p = len(columns)
    width = len(fast_columns)
    strip = max(TILE, min(width, STRIP_BYTES // (4 * width)) // TILE * TILE)
    firsts = range(0, p, strip)
    size = width if settings.held else 0
    scores = torch.zeros((size, size), dtype=settings.dtype, device=columns.device)
    residuals = torch.empty_like(columns)

    def chosen(worker: _Worker, number: int) -> _Chosen:
        first = firsts[number]
        nodes = torch.arange(first, min(first + strip, p), device=worker.device)
        own = worker.columns, worker.fast_columns, nodes, worker.work, scores.to(worker.device)
        search = _Search(*own, rules, settings)
        found = _Chosen(*search.run(), search.residuals, search.steps)
        return found.on(columns.device)

    workers = _workers(columns, fast_columns, strip, settings)
    parts, steps = [], []
    for number, found in enumerate(in_turn(workers, chosen, len(firsts))):
        first = firsts[number]
        parts.append(found[:2])
        residuals[first : first + strip] = found.residuals
        steps.append(found.steps)
        report("choosing neighbours", min(first + strip, p) / p)
    widest = max(part[0].shape[1] for part in parts)
    neighbours = torch.cat([_widen(part[0], widest, -1) for part in parts])
    coefficients = torch.cat([_widen(part[1], widest, 0) for part in parts])
    unexplained = residuals.double().square().mean(1)
    sizes = (neighbours >= 0).sum(1)
    joined = _joined(steps)
    return Refit(
        neighbours, coefficients, sizes, residuals, unexplained, scores, joined, rules.n_rows
    )


class _Worker(NamedTuple):
    """Who chooses neighbours on a device."""

    device: torch.device
    columns: Tensor
    fast_columns: Tensor
    work: Tensor  # room for covariances and variances of a strip of nodes


class _Chosen(NamedTuple):
    """What is found out about the nodes of a strip."""

    neighbours: Tensor
    coefficients: Tensor
    residuals: Tensor
    steps: list[Step]

    def on(self, device: torch.device) -> "_Chosen":
        """Return the same on a device."""
        neighbours, coefficients, residuals, steps = self
        there = [Step(step.nodes.to(device), step.vectors.to(device)) for step in steps]
        return _Chosen(neighbours.to(device), coefficients.to(device), residuals.to(device), there)


def _workers(
    columns: Tensor, fast_columns: Tensor, n_nodes: int, settings: Settings
) -> list[_Worker]:
    """Return who chooses: one if all scores are held, else one on each device that has room."""
    shape, result = (2, n_nodes, len(fast_columns)), []
    size = n_nodes * (len(fast_columns) + _MOST_IN_BASIS * columns.shape[1])
    needed = columns.nbytes + fast_columns.nbytes + 3 * settings.dtype.itemsize * size
    for device in [columns.device] if settings.held else with_room(needed):
        work = torch.empty(shape, dtype=settings.dtype, device=device)
        result.append(_Worker(device, columns.to(device), fast_columns.to(device), work))
    return result


class _Search:
    """Forward selection for a strip of nodes."""

    def __init__(
        self,
        columns: Tensor,
        fast_columns: Tensor,
        nodes: Tensor,
        work: Tensor,
        scores: Tensor,
        rules: Rules,
        settings: Settings,
    ) -> None:
        self.columns, self.fast, self.nodes = columns, fast_columns, nodes
        self.covariance, self.variance = work
        self.scores, self.settings = scores, settings
        p = len(columns)
        self.n_rows = rules.n_rows
        self.hubs = torch.tensor(rules.hubs, dtype=torch.int64, device=columns.device)
        self.most = min(p - 1, int(rules.n_rows) // 4, rules.most)
        self.limit = z_at(rules.level / p)
        shape = (len(nodes), self.most)
        self.chosen = torch.full(shape, -1, dtype=torch.int64, device=columns.device)
        self.loadings = torch.zeros(shape, dtype=torch.float32, device=columns.device)
        self.triangle = torch.eye(self.most, device=columns.device).repeat(len(nodes), 1, 1)
        self.residuals = columns[nodes]
        self.steps: list[Step] = []

    def run(self) -> tuple[Tensor, Tensor]:
        """Return the neighbours of every node and their coefficients."""
        m = self.columns.shape[1]
        place = torch.arange(len(self.nodes), device=self.nodes.device)
        basis = torch.empty((len(place), 0, m), device=place.device)
        direction, loading, newest = self.residuals, None, None
        step = 0
        while len(place):
            left = self.residuals[place].square().mean(1)
            strength, best = self._strongest(place, direction, loading, newest, left, step)
            z = z_score(strength.clamp(max=1.0).sqrt(), self.n_rows - 3.0 - step)
            go = z > self.limit
            if len(self.hubs):
                forced, hub = self._next_hub(place)
                go, best = go | forced, torch.where(forced, hub, best)
            go &= left > self.settings.collinear
            if step == self.most or not go.any():
                break
            place, newest, basis = place[go], best[go], basis[go]
            direction = self._orthogonal(place, newest, basis, step)
            basis = torch.cat([basis, direction[:, None]], dim=1)
            if not self.settings.held:
                scaled = (direction / m**0.5).to(self.fast.dtype)
                self.steps.append(Step(self.nodes[place], scaled))
            loading = self._explain(place, direction, newest, step)
            step += 1
        coefficients = torch.linalg.solve_triangular(
            self.triangle[:, :step, :step], self.loadings[:, :step, None], upper=True
        )
        return self.chosen[:, :step], coefficients[..., 0]

    def _strongest(
        self,
        place: Tensor,
        direction: Tensor,
        loading: Tensor | None,
        newest: Tensor | None,
        left: Tensor,
        step: int,
    ) -> tuple[Tensor, Tensor]:
        """Take the direction out of all columns; return the strongest squared correlations left."""
        n, m = direction.shape
        width = len(self.fast)
        products = torch.mm((direction / m**0.5).to(self.fast.dtype), self.fast.T)
        grid = (n, -(-width // _BLOCK))
        best = torch.empty(grid, device=place.device)
        which = torch.empty(grid, dtype=torch.int32, device=place.device)
        selection_kernel.strongest[grid](
            products, self.covariance, self.variance, self.scores,
            place, self.nodes[place], place if newest is None else newest,
            left if loading is None else loading, left, best, which,
            width, max(self.n_rows - 2.0 - step, 1.0), self.settings.collinear,
            FIRST=newest is None, HELD=self.settings.held, BN=_BLOCK, num_warps=4,
        )  # fmt: skip
        value, block = best.max(1)
        return value, which.gather(1, block[:, None])[:, 0].long()

    def _next_hub(self, place: Tensor) -> tuple[Tensor, Tensor]:
        """Return which nodes are to be given a hub in this step, and which hub."""
        waiting = self.variance[place[:, None], self.hubs] > self.settings.collinear
        number = len(self.hubs)
        order = torch.arange(number, 0, -1, device=place.device)  # the first that waits
        return waiting.any(1), self.hubs[(waiting * order).argmax(1)]

    def _orthogonal(self, place: Tensor, newest: Tensor, basis: Tensor, step: int) -> Tensor:
        """Return what the basis leaves of the newest variables, with mean square one."""
        m = self.columns.shape[1]
        vector = self.columns[newest]
        inner = torch.bmm(basis, vector[:, :, None])[..., 0] / m
        vector = vector - torch.bmm(inner[:, None], basis)[:, 0]
        scale = vector.square().mean(1).sqrt()
        self.triangle[place, :step, step] = inner
        self.triangle[place, step, step] = scale
        return vector / scale[:, None]

    def _explain(self, place: Tensor, direction: Tensor, newest: Tensor, step: int) -> Tensor:
        """Take the direction out of the nodes' residuals; return its coefficients."""
        residual = self.residuals[place]
        loading = (residual * direction).mean(1)
        self.residuals[place] = residual - loading[:, None] * direction
        self.loadings[place, step] = loading
        self.chosen[place, step] = newest
        return loading


def _joined(strips: list[list[Step]]) -> list[Step]:
    """Return the steps of all strips; what they were made of is given up on the way."""
    result = []
    while any(strips):
        made = [strip.pop(0) for strip in strips if strip]
        result.append(Step(*(torch.cat(parts) for parts in zip(*made))))
    return result


def _widen(values: Tensor, width: int, fill: int) -> Tensor:
    missing = width - values.shape[1]
    return torch.nn.functional.pad(values, (0, missing), value=fill)
