"""Fast copies of the learner's functions: arrays in, arrays out, same signatures."""
