"""The statistics, in readable NumPy and nothing else; docs/design.md says what to read first."""
