"""``hedgerow plan``: how many rows, from a few constants or from a precision matrix in a file."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hedgerow.cli._errors import Misuse, printing, refuse_closed_stdout

if TYPE_CHECKING:
    from hedgerow.theory import Bound, ModelConstants, Problem

NUMBERS = {
    "p": "-p",
    "kappa": "--kappa",
    "lambda_max": "--lambda",
    "nu_max": "--nu-max",
    "theta_max": "--theta-max",
    "degree": "--degree",
}
GROUPS: dict[str, dict[str, Any]] = {
    "Rows that no method can do without": {"kind": "necessary", "is_order": False},
    "Rows proved enough, constants included": {"kind": "sufficient", "is_order": False},
    "Orders without constants, at constant 1: to compare, not to rely on": {"is_order": True},
}
ROUNDING = 1e-9  # a partial correlation below this is no edge anybody meant


@click.command()
@click.option("-p", type=int, help="Number of variables.")
@click.option("--kappa", type=float, help="Smallest absolute partial correlation of an edge.")
@click.option("--lambda", "lambda_max", type=float, help="Largest l1 norm of a node's weights.")
@click.option("--nu-max", type=float, help="Largest variance of a variable.")
@click.option("--theta-max", type=float, help="Largest diagonal entry of the precision matrix.")
@click.option("--degree", type=int, help="Largest number of neighbours of a variable.")
@click.option(
    "--row-norm",
    type=float,
    help="Largest l1 norm of a precision row.  [default: (1 + lambda) * theta-max]",
)
@click.option(
    "--precision",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Take all of the above from the precision matrix in this file: .npy, .npz or .csv.",
)
@click.option(
    "--zero-below",
    type=float,
    default=0.0,
    show_default=True,
    help="With --precision: partial correlations up to this count as zero.",
)
@click.option(
    "--delta", type=float, default=0.05, show_default=True, help="Allowed chance of a wrong graph."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with notes and references.")
def plan(
    precision: Path | None, zero_below: float, delta: float, as_json: bool, **numbers: Any
) -> None:
    """How many rows are needed: the paper's bound beside others.

    Describe the model by -p, --kappa, --lambda, --nu-max, --theta-max and --degree, or give a
    precision matrix. Explicit figures are promises; orders are printed with constant 1 and only
    show how the need grows.
    """
    refuse_closed_stdout()

    from hedgerow import theory

    model = None
    if precision is None:
        problem = _problem_from_numbers(numbers, zero_below, delta)
    else:
        model, problem = _problem_from_file(precision, numbers, zero_below, delta)
    bounds = theory.plan(problem)
    with printing():
        if as_json:
            click.echo(_to_json(problem, model, bounds))
        else:
            _print_table(problem, model, bounds)


def _problem_from_numbers(numbers: dict[str, Any], zero_below: float, delta: float) -> "Problem":
    from hedgerow.theory import Problem

    missing = [flag for name, flag in NUMBERS.items() if numbers[name] is None]
    if missing:
        raise Misuse(f"give --precision FILE, or the missing {', '.join(missing)}")
    if zero_below:
        raise Misuse("--zero-below needs --precision FILE")
    try:
        return Problem(**numbers, delta=delta)
    except ValueError as error:
        raise Misuse(str(error)) from error


def _problem_from_file(
    path: Path, numbers: dict[str, Any], zero_below: float, delta: float
) -> "tuple[ModelConstants, Problem]":
    from hedgerow.cli._matrix import read_matrix
    from hedgerow.theory import constants

    given = [name for name, value in numbers.items() if value is not None]
    if given:
        flags = ", ".join(NUMBERS.get(name, "--row-norm") for name in given)
        raise Misuse(f"--precision FILE already gives {flags}")
    if not 0 <= zero_below < 1:
        raise Misuse(f"zero_below must be a number in [0, 1), got {zero_below:g}")
    if not 0 < delta < 1:
        raise Misuse(f"delta must be a number in (0, 1), got {delta:g}")
    try:
        model = constants(read_matrix(path), zero_below=zero_below)
        if model.kappa is not None and model.kappa < ROUNDING:
            raise ValueError(
                f"the weakest edge must be at least {ROUNDING:g} to be more than rounding, got "
                f"{model.kappa:.3g}; --zero-below drops such edges"
            )
        return model, model.problem(delta)
    except OSError as error:
        raise click.ClickException(f"{path}: {error.strerror or error}") from error
    except ValueError as error:
        raise click.ClickException(f"{path}: {error}") from error


def _to_json(problem: "Problem", model: "ModelConstants | None", bounds: "list[Bound]") -> str:
    import json
    from dataclasses import asdict

    answer: dict[str, Any] = {"problem": asdict(problem) | {"row_norm": problem.row_bound}}
    if model is not None:
        answer["condition"] = model.condition
    answer["bounds"] = [bound._asdict() for bound in bounds]
    return json.dumps(answer, indent=2)


def _print_table(problem: "Problem", model: "ModelConstants | None", bounds: "list[Bound]") -> None:
    import sys

    from rich.table import Table

    from hedgerow.cli._console import console_on

    console = console_on(sys.stdout)
    console.print(
        f"p={problem.p} κ={problem.kappa:.4g} λ={problem.lambda_max:.4g} "
        f"ν={problem.nu_max:.4g} θ={problem.theta_max:.4g} d={problem.degree} "
        f"λ̃={problem.row_bound:.4g} δ={problem.delta:g}"
    )
    if model is not None:
        console.print(f"condition number {model.condition:.4g}")
    for title, group in GROUPS.items():
        table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, show_header=False)
        table.add_column(width=28)
        table.add_column(width=11, justify="right", style="bold")
        table.add_column(overflow="fold")
        for bound in bounds:
            if group.items() <= bound._asdict().items():
                table.add_row(bound.name, _rows_text(bound.rows), bound.formula)
        console.print()
        console.print(title, style="cyan")
        console.print(table)


def _rows_text(rows: int) -> str:
    return f"{rows:,}" if rows < 10**7 else f"{rows:.3g}"
