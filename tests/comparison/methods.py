"""Methods that go wrong in every way that a comparison has to survive."""

import os
import signal
import subprocess
import sys
import time
import warnings

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator


class Chain(BaseEstimator):
    """Finds a chain whatever the rows; a score falls along it."""

    def __init__(self, weight=1.0):
        self.weight = weight

    def fit(self, X, y=None):
        warnings.warn("this is not\na method", stacklevel=1)
        p = X.shape[1]
        self.score_matrix_ = np.zeros((p, p))
        for i in range(p - 1):
            self.score_matrix_[i, i + 1] = self.score_matrix_[i + 1, i] = self.weight / (1 + i)
        self.adjacency_ = csr_array(self.score_matrix_ != 0)
        return self


class Sure(Chain):
    """Has no doubt at all."""

    def fit(self, X, y=None):
        super().fit(X)
        self.score_matrix_[self.score_matrix_ > 0] = np.inf
        return self


class OfFirstRow(BaseEstimator):
    """Connects the first column with the one named by the first row: another on other rows."""

    def fit(self, X, y=None):
        p = X.shape[1]
        self.score_matrix_ = np.zeros((p, p))
        other = 1 + int(X[0, 0]) % (p - 1)
        self.score_matrix_[0, other] = self.score_matrix_[other, 0] = 1.0
        self.adjacency_ = csr_array(self.score_matrix_ != 0)
        return self


class NeedsAllRows(Chain):
    def fit(self, X, y=None):
        if len(X) < 50:
            raise ValueError("too few rows")
        return super().fit(X)


class Hangs(BaseEstimator):
    """Also starts a process that would outlive it."""

    def fit(self, X, y=None):
        if len(X) != 64:  # the warm-up has 64 rows
            child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
            with open(os.environ["CHILD_PID_FILE"], "w") as file:
                file.write(str(child.pid))
        while len(X) != 64:
            time.sleep(0.1)
        return self


class Raises(BaseEstimator):
    def fit(self, X, y=None):
        raise ValueError("rows must be\nother rows")


class LacksMemory(BaseEstimator):
    def fit(self, X, y=None):
        raise MemoryError


class Aborts(BaseEstimator):
    """Ends without a word."""

    def fit(self, X, y=None):
        os.kill(os.getpid(), signal.SIGABRT)


class IsKilled(BaseEstimator):
    def fit(self, X, y=None):
        os.kill(os.getpid(), signal.SIGKILL)


class Crashes(BaseEstimator):
    def fit(self, X, y=None):
        print("last words", file=sys.stderr)
        os._exit(7)


class SaysSo(BaseEstimator):
    """Keeps the limit it was given."""

    def __init__(self, time_limit=None):
        self.time_limit = time_limit

    def fit(self, X, y=None):
        raise TimeoutError(f"{self.time_limit < 5}")
