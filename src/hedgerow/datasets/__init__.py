"""Gaussian graphical models and Ising models whose graph is known: families and samplers."""

from hedgerow.datasets._families import FAMILIES, Family, make, max_strength
from hedgerow.datasets._ising_families import ISING_FAMILIES, IsingFamily, make_ising
from hedgerow.datasets._ising_model import IsingModel
from hedgerow.datasets._ising_sampling import Sampling, SamplingWarning
from hedgerow.datasets._model import Model, random_scales, rescale

__all__ = [
    "FAMILIES",
    "ISING_FAMILIES",
    "Family",
    "IsingFamily",
    "IsingModel",
    "Model",
    "Sampling",
    "SamplingWarning",
    "make",
    "make_ising",
    "max_strength",
    "random_scales",
    "rescale",
]
