"""Constants against closed forms, explicit bounds against their own inequalities, bad input."""

import doctest
import math
import tracemalloc

import numpy as np
import pytest
from scipy import sparse

from hedgerow import theory
from hedgerow.paper import bounds
from hedgerow.paper import constants as model
from hedgerow.theory import Problem, constants, hedge_regret, plan, sufficient_rows

EXAMPLE = Problem(100, 0.2, lambda_max=2.0, nu_max=1.0, theta_max=1.0, degree=4, delta=0.1)


def ar1_precision(p, rho):
    """Inverse of the covariance ``rho ** |i - j|``."""
    diagonal = np.full(p, 1 + rho**2)
    diagonal[[0, -1]] = 1.0
    off = np.full(p - 1, -rho)
    return sparse.diags_array([off, diagonal, off], offsets=[-1, 0, 1]).tocsr() / (1 - rho**2)


def star_precision(leaves, weight):
    theta = np.eye(leaves + 1)
    theta[0, 1:] = theta[1:, 0] = weight
    return theta


@pytest.mark.parametrize("module", [bounds, model])
def test_examples_in_docstrings_run(module):
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0


class TestConstants:
    @pytest.mark.parametrize(
        "as_type", [sparse.csr_array, sparse.coo_matrix, sparse.csr_array.toarray]
    )
    @pytest.mark.parametrize("rho", [-0.5, 0.3, 0.9])
    def test_ar1_has_known_constants(self, as_type, rho):
        p = 12
        found = constants(as_type(ar1_precision(p, rho)))
        size = abs(rho)
        assert found.p == p
        assert found.degree == 2
        assert found.kappa == pytest.approx(size / (1 + rho**2))
        assert found.lambda_max == pytest.approx(2 * size / (1 + rho**2))
        assert found.lambdas[0] == pytest.approx(size)
        assert found.nu_max == pytest.approx(1.0)
        assert found.theta_max == pytest.approx((1 + rho**2) / (1 - rho**2))
        assert found.row_norm == pytest.approx((1 + size) / (1 - size))

    def test_star_has_known_constants(self):
        leaves, weight = 9, 0.3
        found = constants(star_precision(leaves, weight))
        assert found.degree == leaves
        assert found.kappa == pytest.approx(weight)
        assert found.lambda_max == pytest.approx(leaves * weight)
        assert found.nu_max == pytest.approx(1 / (1 - leaves * weight**2))
        spread = weight * math.sqrt(leaves)  # eigenvalues are 1 and 1 +- spread
        assert found.condition == pytest.approx((1 + spread) / (1 - spread), rel=1e-5)

    def test_second_difference_matrix_has_a_known_condition_number(self):
        p, mass = 2000, 1e-3
        theta = sparse.diags_array(
            [np.full(p - 1, -1.0), np.full(p, 2 + mass), np.full(p - 1, -1.0)], offsets=[-1, 0, 1]
        )
        low, high = 2 + mass - 2 * np.cos(np.array([1, p]) * np.pi / (p + 1))
        assert constants(theta).condition == pytest.approx(high / low, rel=1e-5)

    def test_no_edges(self):
        found = constants(np.diag([1.0, 2.0, 4.0]))
        assert found.kappa is None
        assert found.lambda_max == 0.0
        assert found.degree == 0
        assert found.nu_max == 1.0
        assert found.condition == pytest.approx(4.0)
        with pytest.raises(ValueError, match=r"precision must have at least one edge .*, got none"):
            found.problem()

    def test_rounding_noise_is_dropped_on_request(self):
        exact = ar1_precision(8, 0.6).toarray()
        noisy = np.linalg.inv(np.linalg.inv(exact))
        assert constants(noisy).degree > 2
        cleaned = constants(noisy, zero_below=1e-9)
        assert cleaned.degree == 2
        assert cleaned.kappa == pytest.approx(constants(exact).kappa)
        assert constants(sparse.csr_array(noisy), zero_below=1e-9).degree == 2

    def test_stored_zeros_are_not_edges(self):
        theta = sparse.csr_array(np.array([[1.0, 0.5, 0.1], [0.5, 1.0, 0.1], [0.1, 0.1, 1.0]]))
        theta.data[theta.data == 0.1] = 0.0
        assert constants(theta).degree == 1
        assert constants(theta).kappa == 0.5

    def test_input_is_left_alone(self):
        dense = ar1_precision(6, 0.5).toarray()
        thin = sparse.csr_array(dense)
        before = dense.copy()
        constants(dense, zero_below=0.9)
        constants(thin, zero_below=0.9)
        assert np.array_equal(dense, before)
        assert np.array_equal(thin.toarray(), before)

    def test_a_large_sparse_model_is_never_made_dense(self):
        p = 3000
        theta = ar1_precision(p, 0.4)
        tracemalloc.start()
        found = constants(theta)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert found.nu_max == pytest.approx(1.0)
        assert peak < 8 * p * p / 2

    def test_problem_carries_the_constants(self):
        found = constants(ar1_precision(10, 0.5))
        problem = found.problem(delta=0.01)
        assert problem.delta == 0.01
        for name in ("p", "kappa", "lambda_max", "nu_max", "theta_max", "degree", "row_norm"):
            assert getattr(problem, name) == getattr(found, name)


NOT_DEFINITE = "precision must be positive definite, got a smallest eigenvalue of at most"


@pytest.mark.parametrize(
    ("precision", "message"),
    [
        (np.ones(3), r"square, at least 2 x 2, got shape \(3,\)"),
        (np.ones((2, 3)), r"square, at least 2 x 2, got shape \(2, 3\)"),
        (sparse.csr_array((2, 3)), r"square, at least 2 x 2, got shape \(2, 3\)"),
        ([[1.0]], r"square, at least 2 x 2, got shape \(1, 1\)"),
    ],
)
def test_shapes_that_are_no_matrix_of_variables(precision, message):
    with pytest.raises(ValueError, match=f"precision must be {message}"):
        constants(precision)


@pytest.mark.parametrize(
    "precision", [[["a", "b"], ["c", "d"]], np.eye(2) * 1j, sparse.csr_array(np.eye(2) * 1j)]
)
def test_entries_that_are_no_real_numbers(precision):
    with pytest.raises(ValueError, match="precision must hold real numbers, got dtype"):
        constants(precision)


@pytest.mark.parametrize("as_type", [np.array, sparse.csr_array])
@pytest.mark.parametrize(
    ("precision", "message"),
    [
        ([[1, np.nan], [np.inf, 1]], "must be finite, got 2 NaN or infinite entries"),
        (np.diag([1.0, -2.0]), "must have a positive diagonal, got an entry -2"),
        (np.diag([1.0, 0.0]), "must have a positive diagonal, got an entry 0"),
        ([[1, 0.5], [0.2, 1]], r"must be symmetric, got .* that differ by 0.3 once"),
        ([[4, 0.5], [0.2, 4]], r"must be symmetric, got .* that differ by 0.075 once"),
        ([[1, 2], [2, 1]], "must be positive definite, got .* of at most -1 once"),
        (np.ones((3, 3)), "must be positive definite, got"),
        (star_precision(4, 0.6), "must be positive definite, got .* of at most -0.2 once"),
    ],
)
def test_matrices_that_are_no_precision_matrix(precision, message, as_type):
    with pytest.raises(ValueError, match=f"precision {message}"):
        constants(as_type(np.array(precision)))


@pytest.mark.parametrize("as_type", [sparse.csr_array, sparse.csr_array.toarray])
def test_a_singular_matrix_is_refused_even_if_rounding_hides_it(as_type):
    """The last pivot of a random graph's Laplacian is noise of either sign."""
    rng = np.random.default_rng()
    for _ in range(10):
        weights = np.triu(rng.random((60, 60)), 1)
        weights += weights.T
        laplacian = sparse.csr_array(np.diag(weights.sum(axis=1)) - weights)
        with pytest.raises(ValueError, match=NOT_DEFINITE):
            constants(as_type(laplacian))


def test_a_large_singular_matrix_is_refused_with_its_eigenvalue():
    p = 2000
    degree = np.full(p, 2.0)
    degree[[0, -1]] = 1.0
    theta = sparse.diags_array([-np.ones(p - 1), degree, -np.ones(p - 1)], offsets=[-1, 0, 1])
    with pytest.raises(ValueError, match=NOT_DEFINITE) as refusal:
        constants(theta)
    reported = float(str(refusal.value).split("at most ")[1].split()[0])
    assert abs(reported) < 1e-5


@pytest.mark.parametrize("zero_below", [-0.1, 1.0, math.nan])
def test_zero_below_out_of_range(zero_below):
    with pytest.raises(ValueError, match=r"zero_below must be a number in \[0, 1\), got"):
        constants(np.eye(2), zero_below=zero_below)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"p": 1}, "p must be an integer >= 2, got 1"),
        ({"p": 10.5}, "p must be an integer >= 2, got 10.5"),
        ({"kappa": 0.0}, r"kappa must be a number in \(1e-12, 1\), got 0.0"),
        ({"kappa": 1}, r"kappa must be a number in \(1e-12, 1\), got 1"),
        ({"kappa": math.nan}, r"kappa must be a number in \(1e-12, 1\), got nan"),
        ({"delta": 1.0}, r"delta must be a number in \(1e-12, 1\), got 1.0"),
        ({"nu_max": math.inf}, r"nu_max must be a number in \(1e-12, 1e\+12\), got inf"),
        ({"theta_max": "1"}, r"theta_max must be a number in \(1e-12, 1e\+12\), got '1'"),
        ({"degree": 0}, "degree must be an integer >= 1, got 0"),
        ({"degree": 100}, "degree must be at most p - 1 = 99, got 100"),
        ({"lambda_max": 0.1}, "lambda_max must be at least kappa = 0.2, .* got 0.1"),
        ({"nu_max": 0.5}, r"nu_max \* theta_max must be at least 1, .* got 0.5"),
        ({"row_norm": 0.9}, "row_norm must be at least theta_max = 1, .* got 0.9"),
        ({"row_norm": -1.0}, "row_norm must be a number in .* got -1.0"),
    ],
)
def test_problems_without_a_model(change, message):
    arguments = {"p": 100, "kappa": 0.2, "lambda_max": 2.0, "nu_max": 1.0, "theta_max": 1.0}
    arguments |= {"degree": 4, "delta": 0.1} | change
    with pytest.raises(ValueError, match=message):
        Problem(**arguments)


class TestExplicitBounds:
    @pytest.mark.parametrize(("rounds", "experts"), [(50, 3), (1000, 15), (20_000, 199)])
    def test_one_perfect_expert_nearly_attains_the_regret(self, rounds, experts):
        """All others always lose; the player pays until the weights have moved."""
        beta = 1 / (1 + math.sqrt(math.log(experts) / rounds))
        others = (experts - 1) * beta ** np.arange(rounds)
        regret = float((others / (1 + others)).sum())
        assert 0.88 * hedge_regret(rounds, experts) < regret <= hedge_regret(rounds, experts)

    def test_moments_of_a_product_of_gaussians(self):
        """(2m-1)!! <= 3/8 2^m m!, on which both of Bernstein's constants rest."""
        for m in range(2, 60):
            double_factorial = math.prod(range(1, 2 * m, 2))
            assert 8 * double_factorial <= 3 * 2**m * math.factorial(m)

    def test_the_paper_deviation_is_above_the_derived_one(self):
        for rounds in (10**2, 10**6, 10**12):
            for failure in (0.2, 1e-3, 1e-9):
                b_squared = 2 * math.log(8 * rounds)
                derived = bounds._bernstein_deviation(rounds, b_squared, failure)
                assert derived < bounds._paper_deviation(rounds, b_squared, failure)

    def test_the_derived_deviation_solves_its_equation(self):
        rounds, b_squared, failure = 1000, 20.0, 1e-4
        a = bounds._bernstein_deviation(rounds, b_squared, failure)
        variance, scale = 3 * rounds / b_squared**2, 2 / b_squared
        assert math.exp(-(a**2) / (2 * (variance + scale * a))) == pytest.approx(failure)

    def test_holdout_rows_bound_the_deviation_of_the_risk(self):
        """Bernstein's exponent at M is just enough for 2 p T events of total chance delta / 4."""
        budget = sufficient_rows(EXAMPLE)
        spread, tolerance = 9.0, budget.risk / 4

        def failure(rows):
            exponent = rows * tolerance**2 / (6 * spread**2 + 4 * spread * tolerance)
            return 2 * EXAMPLE.p * budget.train * math.exp(-exponent)

        assert failure(budget.holdout) <= EXAMPLE.delta / 4 < failure(budget.holdout * 0.999)

    def test_selection_and_concentration_names(self):
        with pytest.raises(ValueError, match="selection must be one of 'argmin', 'average', got"):
            sufficient_rows(EXAMPLE, selection="best")
        with pytest.raises(ValueError, match="concentration must be one of 'bernstein', 'paper'"):
            sufficient_rows(EXAMPLE, concentration="azuma")


class TestPlan:
    def test_theorem_1_at_constant_1_for_a_hundred_variables(self):
        assert rows("Theorem 1") == math.ceil(1e4 * math.log(1000) ** 3)
        assert rows("Theorem 1") == pytest.approx(3.3e6, rel=0.01)

    @pytest.mark.parametrize(
        ("name", "expected"),
        [
            ("Any method, at least", math.log(100) / 0.04),
            ("ACLIME", 9 / 0.0016 * math.log(1000)),
            ("HybridMB", 9 / 0.0016 * math.log(1000)),
            ("GreedyPrune", 81 / 0.000064 * math.log(1000)),
            ("Greedy (attractive models)", 100 * math.log(5) * math.log(100)),
            ("Exhaustive (p^O(d) time)", 100 * math.log(100)),
            ("Graphical lasso (incoherent)", 41 * math.log(100)),
        ],
    )
    def test_orders_at_constant_1(self, name, expected):
        assert rows(name) == math.ceil(expected)

    def test_the_degree_part_of_the_lower_bound(self):
        dense = Problem(100, 0.2, lambda_max=19.8, nu_max=1, theta_max=1, degree=99)
        expected = 99 * math.log(100) / math.log(1 + 0.2 * 99)
        assert rows("Any method, at least", dense) == math.ceil(expected)

    def test_one_edge_bound_is_fano(self):
        """Information per row is that of two variables with correlation kappa."""
        covariance = np.array([[1.0, 0.2], [0.2, 1.0]])
        per_row = -np.linalg.slogdet(covariance)[1] / 2
        needed = 0.9 * math.log(4950) - math.log(2)
        assert rows("Any method, one edge") == math.ceil(needed / per_row)

    def test_two_variables_leave_nothing_to_find(self):
        pair = Problem(2, 0.5, lambda_max=0.5, nu_max=4 / 3, theta_max=1, degree=1)
        assert rows("Any method, one edge", pair) == 0

    def test_explicit_lines_are_the_budgets(self):
        argmin = sufficient_rows(EXAMPLE)
        assert rows("Sparsitron, argmin") == argmin.train + argmin.holdout
        average = sufficient_rows(EXAMPLE, selection="average")
        assert rows("Sparsitron, average") == average.train
        assert average.holdout == 0

    def test_explicit_lines_come_first_and_orders_say_so(self):
        flags = [bound.is_order for bound in plan(EXAMPLE)]
        assert flags == sorted(flags)
        assert {bound.name for bound in plan(EXAMPLE) if not bound.is_order} == {
            "Any method, one edge",
            "Sparsitron, average",
            "Sparsitron, argmin",
            "Sparsitron, paper's constant",
        }

    def test_every_line_is_complete(self):
        for bound in plan(EXAMPLE):
            assert bound.kind in ("necessary", "sufficient")
            assert all((bound.name, bound.formula, bound.note, bound.reference))

    def test_extreme_constants_do_not_overflow(self):
        hard = Problem(10**6, 2e-12, lambda_max=9e11, nu_max=9e11, theta_max=9e11, degree=10)
        assert all(math.isfinite(float(bound.rows)) for bound in plan(hard))


def rows(name, problem=EXAMPLE):
    return {bound.name: bound.rows for bound in plan(problem)}[name]


def test_public_names_exist():
    assert all(hasattr(theory, name) for name in theory.__all__)
