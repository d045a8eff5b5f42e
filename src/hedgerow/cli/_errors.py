"""Every failure of a command is one line on stderr; ``--debug`` adds the traceback."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EPIPE
from typing import IO, Any

import click

_DEBUG = "hedgerow.debug"


class Misuse(click.ClickException):
    """A wrong combination or value of options; exits with 2."""

    exit_code = 2


class Interrupted(click.ClickException):
    """Somebody pressed Ctrl-C; exits with 130, as shells expect."""

    exit_code = 130

    def show(self, file: IO[Any] | None = None) -> None:
        end_of_echo = "\n" if sys.stderr.isatty() else ""  # the terminal has just shown ^C
        click.echo(f"{end_of_echo}Interrupted{self.message}.", file=file, err=True)


class PlainGroup(click.Group):
    """A group that tells every failure in one line."""

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        with _in_one_line():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        with _in_one_line(ctx):
            return super().invoke(ctx)


def with_debug(command: click.Command) -> click.Command:
    """Give the command the option ``--debug``."""
    if not any(option.name == "debug" for option in command.params):
        option = click.Option(
            ["--debug"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=lambda ctx, _, value: ctx.meta.update({_DEBUG: value}),
            help="Show where in the program an error arose.",
        )
        command.params.append(option)
    return command


@contextmanager
def _in_one_line(ctx: click.Context | None = None) -> Iterator[None]:
    try:
        yield
    except (click.exceptions.Exit, click.exceptions.NoArgsIsHelpError):
        raise
    except KeyboardInterrupt as error:
        raise Interrupted("") from error
    except Exception as error:
        if ctx is not None and ctx.meta.get(_DEBUG):
            from traceback import print_exc

            print_exc()
        raise _plain(error) from error


def _plain(error: Exception) -> Exception:
    """Return an exception that click shows as one line, or not at all."""
    if isinstance(error, click.UsageError):
        hint = f" Try '{error.ctx.command_path} --help'." if error.ctx else ""
        return Misuse(" ".join(error.format_message().split()) + hint)
    if isinstance(error, click.ClickException):
        return error
    if isinstance(error, OSError) and error.errno == EPIPE:
        return error  # the reader has seen enough; click ends quietly
    text = " ".join(str(error).split())
    return click.ClickException(
        f"{type(error).__name__}: {text}; this should not happen, --debug shows where it did"
    )
