"""The ``hedgerow`` command: each subcommand is one module, imported when it is called."""

from importlib import import_module

import click

from hedgerow import __version__
from hedgerow.cli._errors import PlainGroup, with_debug

COMMANDS = {
    "compare": "Run several methods on one table: edges, time, agreement, stability.",
    "demo": "Learn the pixels of a photograph and draw them: the image grid appears.",
    "diff": "Tell which partial correlations differ between the first of FILES and each other.",
    "learn": "Learn which columns of a table are directly connected.",
    "plan": "How many rows are needed: the paper's bound beside others.",
    "simulate": "Draw rows from a known graph and write rows and true edges to files.",
    "stream": "Learn from rows that keep coming, and survive restarts.",
}


class LazyGroup(PlainGroup):
    """A group that imports a subcommand's module only when that subcommand is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        return with_debug(getattr(import_module(f"hedgerow.cli.{cmd_name}"), cmd_name))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(sorted(COMMANDS.items()))


@click.command(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="hedgerow")
def cli() -> None:
    """Which variables are directly connected?"""
