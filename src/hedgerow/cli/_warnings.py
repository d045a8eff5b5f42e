"""Warnings of the library, gathered to be told in a command's own words."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click


@contextmanager
def collected_warnings() -> Iterator[list[str]]:
    """Yield a list that the warnings about data and guarantees go to."""
    from hedgerow.estimators import DataWarning, GuaranteeWarning

    collected: list[str] = []
    with warnings.catch_warnings():
        show = warnings.showwarning

        def collect(message: Any, category: type[Warning], *args: Any, **kwargs: Any) -> None:
            if issubclass(category, DataWarning | GuaranteeWarning):
                collected.append(str(message))
            else:
                show(message, category, *args, **kwargs)

        for category in (DataWarning, GuaranteeWarning):
            warnings.simplefilter("always", category)
        warnings.showwarning = collect
        yield collected


@contextmanager
def told_warnings() -> Iterator[None]:
    """Print each warning at once, on a line of its own, for work that may never end."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = lambda message, *_, **__: click.echo(f"Warning: {message}", err=True)
        yield
