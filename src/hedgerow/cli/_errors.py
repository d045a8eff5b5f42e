"""Every failure of a command is one line on stderr; ``--debug`` adds the traceback."""

import os
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

    def make_context(
        self, info_name: str | None, args: list[str], *rest: Any, **extra: Any
    ) -> click.Context:
        with _in_one_line():
            if any("\0" in text for text in args):  # from another program: no shell passes it on
                raise Misuse("arguments must not hold the character NUL")
            return super().make_context(info_name, args, *rest, **extra)

    def main(self, *args: Any, **extra: Any) -> Any:
        try:
            return super().main(*args, **extra)
        except OSError:  # stderr cannot be written to either, so nobody can be told why
            sys.exit(1)
        finally:
            _forget_what_cannot_be_written()

    def invoke(self, ctx: click.Context) -> Any:
        with _in_one_line(ctx):
            result = super().invoke(ctx)
            with printing():  # what is left in the buffer: Python would fail with it at exit
                return result


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
def printing() -> Iterator[None]:
    """Say in one line, under the name of stdout, that what the block prints cannot be written."""
    try:
        yield
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:
        if error.errno == EPIPE or error.filename is not None:
            raise
        raise click.ClickException(f"stdout: {error.strerror or error}") from error


def refuse_closed_stdout() -> None:
    """Refuse to work for a result that nobody can be told."""
    if sys.stdout is None:
        raise click.ClickException("stdout: is closed")


def refuse_closed_stdin() -> None:
    """Refuse to read what cannot come."""
    if sys.stdin is None:
        raise click.ClickException("stdin: is closed")


def _forget_what_cannot_be_written() -> None:
    """Let it go nowhere, as Python tries once more at exit and shows a traceback then."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except OSError:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)


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
    if isinstance(error, OSError) and error.strerror:
        return _of_system(error)
    text = " ".join(str(error).split())
    return click.ClickException(
        f"{type(error).__name__}: {text}; this should not happen, --debug shows where it did"
    )


def _of_system(error: OSError) -> click.ClickException:
    """Return what to say of a file that no command knows of, such as a temporary one."""
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    if last is not None and last.tb_frame.f_code is click.echo.__code__:  # help, lists, versions
        return click.ClickException(f"stdout: {error.strerror}")
    where = f"{error.filename}: " if error.filename else ""
    return click.ClickException(f"{where}{error.strerror}; --debug shows where it arose")
