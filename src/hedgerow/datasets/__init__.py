"""Gaussian graphical models whose graph is known: families, samplers and changes of scale."""

from hedgerow.datasets._families import FAMILIES, Family, make, max_strength
from hedgerow.datasets._model import Model, random_scales, rescale

__all__ = ["FAMILIES", "Family", "Model", "make", "max_strength", "random_scales", "rescale"]
