"""What estimators warn of; each kind can be silenced or turned into an error by its class."""


class GuaranteeWarning(UserWarning):
    """The graph was learned, but the promised error rate does not cover it."""


class DataWarning(UserWarning):
    """Some columns could not be treated like the others."""
