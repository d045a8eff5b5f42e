"""Entry point of the ``hedgerow`` command; says what to install when the extra is missing."""

import sys


def main() -> None:
    """Run the command line."""
    try:
        import click  # noqa: F401
        import rich  # noqa: F401
    except ModuleNotFoundError as missing:
        sys.exit(
            f"hedgerow: the command line needs the package {missing.name!r}; "
            "install it with: pip install 'hedgerow[cli]'"
        )
    from hedgerow.cli import cli

    cli()


if __name__ == "__main__":
    main()
