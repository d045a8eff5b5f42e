"""Errors of the command line, told in one line."""

import click


class Misuse(click.ClickException):
    """A wrong combination or value of options; exits with 2."""

    exit_code = 2
