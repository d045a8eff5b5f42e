"""What every room may use and none owns: checks, words, files, locks, memory, the edge table."""
