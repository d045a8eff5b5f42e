"""Entry point of the ``hedgerow`` command."""


def main() -> None:
    """Run the command line."""
    from hedgerow.cli import cli

    cli()


if __name__ == "__main__":
    main()
