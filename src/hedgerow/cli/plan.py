"""``hedgerow plan``: how many rows, from a few constants or from a precision matrix in a file."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hedgerow.cli._errors import Misuse, printing, refuse_closed_stdout
from hedgerow.cli.simulate import MODELS

if TYPE_CHECKING:
    from hedgerow.theory import Bound, IsingProblem, ModelConstants, Problem

NUMBERS = {
    "p": "-p",
    "kappa": "--kappa",
    "lambda_max": "--lambda",
    "nu_max": "--nu-max",
    "theta_max": "--theta-max",
    "degree": "--degree",
}
OF_ISING = {"p": "-p", "eta": "--eta", "lambda_max": "--lambda"}
FLAGS = NUMBERS | OF_ISING | {"row_norm": "--row-norm"}
GROUPS: dict[str, dict[str, Any]] = {
    "Rows that no method can do without": {"kind": "necessary", "is_order": False},
    "Rows proved enough, constants included": {"kind": "sufficient", "is_order": False},
    "Orders without constants, at constant 1: to compare, not to rely on": {"is_order": True},
}
ROUNDING = 1e-9  # a partial correlation below this is no edge anybody meant


@click.command()
@click.option(
    "--model",
    type=click.Choice(MODELS),
    default=MODELS[0],
    show_default=True,
    help="gaussian: normal variables; ising: variables of -1 and 1 that act on each other.",
)
@click.option("-p", type=int, help="Number of variables.")
@click.option(
    "--eta", type=float, help="With --model ising: smallest absolute coupling of an edge."
)
@click.option("--kappa", type=float, help="Smallest absolute partial correlation of an edge.")
@click.option(
    "--lambda",
    "lambda_max",
    type=float,
    help="Largest l1 norm of a node's weights, or couplings and field.",
)
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
    model: str,
    precision: Path | None,
    zero_below: float,
    delta: float,
    as_json: bool,
    **numbers: Any,
) -> None:
    """How many rows are needed: the paper's bound beside others.

    Describe the model by -p, --kappa, --lambda, --nu-max, --theta-max and --degree, or give a
    precision matrix; an Ising model by -p, --eta and --lambda. Explicit figures are promises;
    orders are printed with constant 1 and only show how the need grows.
    """
    refuse_closed_stdout()

    from hedgerow import theory

    if model == "ising":
        ising = _ising_problem(precision, numbers, zero_below, delta)
        _show(_about_ising(ising), _ising_line(ising), theory.plan_ising(ising), as_json)
        return
    constants = None
    if precision is None:
        problem = _problem_from_numbers(numbers, zero_below, delta)
    else:
        constants, problem = _problem_from_file(precision, numbers, zero_below, delta)
    _show(_about(problem, constants), _lines(problem, constants), theory.plan(problem), as_json)


def _ising_problem(
    precision: Path | None, numbers: dict[str, Any], zero_below: float, delta: float
) -> "IsingProblem":
    from hedgerow.theory import IsingProblem

    if precision or zero_below:
        raise Misuse("--precision and --zero-below go with --model gaussian")
    _refuse_others(numbers, OF_ISING, "gaussian")
    missing = [flag for name, flag in OF_ISING.items() if numbers[name] is None]
    if missing:
        raise Misuse(f"give the missing {', '.join(missing)}")
    try:
        return IsingProblem(numbers["p"], numbers["eta"], numbers["lambda_max"], delta)
    except ValueError as error:
        raise Misuse(str(error)) from error


def _refuse_others(numbers: dict[str, Any], wanted: dict[str, str], model: str) -> None:
    """Raise for constants of the other kind of model."""
    for name, value in numbers.items():
        if value is not None and name not in wanted:
            raise Misuse(f"{FLAGS[name]} goes with --model {model}")


def _problem_from_numbers(numbers: dict[str, Any], zero_below: float, delta: float) -> "Problem":
    from hedgerow.theory import Problem

    _refuse_others(numbers, NUMBERS | {"row_norm": ""}, "ising")
    missing = [flag for name, flag in NUMBERS.items() if numbers[name] is None]
    if missing:
        raise Misuse(f"give --precision FILE, or the missing {', '.join(missing)}")
    if zero_below:
        raise Misuse("--zero-below needs --precision FILE")
    known = {name: value for name, value in numbers.items() if name != "eta"}
    try:
        return Problem(**known, delta=delta)
    except ValueError as error:
        raise Misuse(str(error)) from error


def _problem_from_file(
    path: Path, numbers: dict[str, Any], zero_below: float, delta: float
) -> "tuple[ModelConstants, Problem]":
    from hedgerow.cli._matrix import read_matrix
    from hedgerow.theory import constants

    given = [name for name, value in numbers.items() if value is not None]
    if given:
        _refuse_others(numbers, NUMBERS | {"row_norm": ""}, "ising")
        flags = ", ".join(FLAGS[name] for name in given)
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


def _about(problem: "Problem", model: "ModelConstants | None") -> dict[str, Any]:
    from dataclasses import asdict

    about: dict[str, Any] = {"problem": asdict(problem) | {"row_norm": problem.row_bound}}
    return about if model is None else about | {"condition": model.condition}


def _about_ising(problem: "IsingProblem") -> dict[str, Any]:
    from dataclasses import asdict

    return {"problem": asdict(problem)}


def _lines(problem: "Problem", model: "ModelConstants | None") -> str:
    line = (
        f"p={problem.p} κ={problem.kappa:.4g} λ={problem.lambda_max:.4g} "
        f"ν={problem.nu_max:.4g} θ={problem.theta_max:.4g} d={problem.degree} "
        f"λ̃={problem.row_bound:.4g} δ={problem.delta:g}"
    )
    return line if model is None else f"{line}\ncondition number {model.condition:.4g}"


def _ising_line(problem: "IsingProblem") -> str:
    return f"p={problem.p} η={problem.min_coupling:.4g} λ={problem.width:.4g} δ={problem.delta:g}"


def _show(about: dict[str, Any], line: str, bounds: "list[Bound]", as_json: bool) -> None:
    import json

    with printing():
        if as_json:
            about["bounds"] = [bound._asdict() for bound in bounds]
            click.echo(json.dumps(about, indent=2))
        else:
            _print_table(line, bounds)


def _print_table(line: str, bounds: "list[Bound]") -> None:
    import sys

    from rich.table import Table

    from hedgerow.cli._console import console_on

    console = console_on(sys.stdout)
    console.print(line)
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
