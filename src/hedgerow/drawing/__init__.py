"""Where variables are drawn: what the report, the live page and `hedgerow.plot` share."""
