"""Random files for readers and commands, and what must hold whatever is in them."""
