"""Settings of all tests."""

from hypothesis import settings

# A first example imports and compiles: how long it takes says nothing about the code.
settings.register_profile("unhurried", settings(deadline=None))
settings.load_profile("unhurried")
