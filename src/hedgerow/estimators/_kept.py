"""A `HedgeGraph` in a file: its parameters, and all that its stream keeps; so in checkpoints."""

from collections.abc import Collection, Hashable, Mapping
from typing import Any, Self

from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from hedgerow.base.checks import one_of
from hedgerow.base.locks import locked
from hedgerow.engines import DEVICES, engine_for_saved
from hedgerow.estimators._assumptions import (
    INDEPENDENT,
    Assumptions,
    from_plain,
    plain,
)
from hedgerow.estimators._given import GivenColumns
from hedgerow.estimators._given_cells import column_numbers
from hedgerow.estimators._hedge_stream import HedgeStream
from hedgerow.estimators._in_a_file import InAFile, Parts
from hedgerow.estimators._learner import SAMPLE
from hedgerow.estimators._saved import (
    check_array_names,
    check_header,
    check_learner,
    check_names,
    check_sample,
    count_columns,
    malformed_if,
)
from hedgerow.estimators._saved_fresh import check_fresh, names_of_fresh
from hedgerow.estimators._saved_given import check_held
from hedgerow.estimators._saved_treatment import (
    check_treatment,
    largest_of_treated,
    names_of_treatment,
)
from hedgerow.method.kinds import NORMAL

# Models saved before rows and columns were treated had to take these for granted.
_BEFORE_TREATMENT = {"rows": INDEPENDENT, "columns": NORMAL}


class Kept(InAFile):
    """A learner with a `HedgeStream` that can be written to a file and go on from it."""

    _KIND = "HedgeGraph"
    device: str
    keep_rows: bool
    columns: str | Collection[Hashable]
    given: Collection[Hashable] | Mapping[Hashable, str] | None
    _given_places: list[int]
    _given_labels: list[Hashable]
    _column_numbers: list[int]
    _stream: HedgeStream

    def _check_parameters(self) -> None:
        raise NotImplementedError

    def _half_life(self) -> float:
        raise NotImplementedError

    def _assumptions(self) -> Assumptions:
        raise NotImplementedError

    def _forget_results(self) -> None:
        raise NotImplementedError

    @locked
    def parts(self) -> Parts:
        """Return what `save` writes, a header that JSON can hold and arrays.

        The arrays are the model's own, and change as it learns, but not as it is asked for
        results. `save` keeps other threads from learning until they are written.
        """
        check_is_fitted(self)
        named, held = hasattr(self, "feature_names_in_"), self._stream.held
        told = {"columns": plain(self.columns, named=named)}
        if self.given is not None:
            told["given"] = plain(self.given, named=named)
        header, arrays = self._header(parameters=self.get_params() | told), self._stream.arrays()
        if not self.keep_rows:  # nor what an earlier setting has kept
            arrays = {name: x for name, x in arrays.items() if not name.startswith(SAMPLE)}
        if held is None:
            return header, arrays
        about, of_given = held.parts()
        about["places"] = self._given_places
        return header | {"given": about}, arrays | of_given

    @classmethod
    def check_parts(cls, header: Any, arrays: dict[str, NDArray[Any]]) -> None:
        """Raise StorageError if no model can have these `parts`."""
        known = set(cls().get_params())

        def sound(**parameters: Any) -> None:
            one_of("device", parameters.get("device", "cpu"), DEVICES)
            cls(**{**_BEFORE_TREATMENT, **parameters})._check_parameters()

        check_header(header, known, sound)
        n_columns = count_columns(arrays)
        check_names(header["feature_names"], n_columns)
        with malformed_if(ValueError):
            held = check_held(header, arrays, n_columns)
            model = cls._unlearned(header, n_columns)
            assumptions = model._assumptions()
        more = names_of_treatment(arrays, assumptions) | names_of_fresh(arrays)
        check_array_names(arrays, more | held)
        largest = largest_of_treated(arrays)
        check_learner(arrays, model._half_life(), largest)
        check_sample(arrays, largest)
        check_treatment(arrays, assumptions, model._half_life())
        check_fresh(arrays, model._half_life(), largest)

    @classmethod
    def from_parts(cls, header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Self:
        """Return the model whose `parts` these are; raise StorageError if there is none."""
        cls.check_parts(header, arrays)
        model = cls._unlearned(header, arrays["pending"].shape[1])
        engine = engine_for_saved(model.device, arrays)
        model._stream = HedgeStream.from_arrays(arrays, engine, model._assumptions())
        if "given" in header:
            labels = model._given_labels
            model._stream.hold(GivenColumns.from_parts(labels, header["given"], arrays))
        model._forget_results()
        return model

    @classmethod
    def _unlearned(cls, header: dict[str, Any], n_columns: int) -> Self:
        """Return a model with the parameters and names of a header."""
        model = cls(**{**_BEFORE_TREATMENT, **header["parameters"]})
        named = header["feature_names"] is not None
        model.columns = from_plain(model.columns, named=named)
        model._take_columns(header, n_columns)
        if model.given:
            model.given = from_plain(model.given, named=named)
            model._given_labels = list(model.given)
            model._given_places = list(header["given"]["places"])
            model._column_numbers = column_numbers(n_columns, model._given_places)
        return model
