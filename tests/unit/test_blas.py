"""One thread of BLAS for small products: for as long as any of them lasts, and no longer."""

from contextlib import ExitStack

from threadpoolctl import threadpool_info, threadpool_limits

from hedgerow.base.blas import one_thread_if_few


def threads():
    return {found["num_threads"] for found in threadpool_info() if found["user_api"] == "blas"}


def test_the_setting_comes_back_when_the_last_has_left():
    with threadpool_limits(2, user_api="blas"):
        before = threads()  # other packages may have brought a library with one thread
        first, second = ExitStack(), ExitStack()
        first.enter_context(one_thread_if_few(64))
        second.enter_context(one_thread_if_few(64))
        assert threads() == {1}
        first.close()
        assert threads() == {1}
        second.close()
        assert threads() == before
        assert 2 in before


def test_products_of_many_columns_keep_their_threads():
    with threadpool_limits(2, user_api="blas"):
        before = threads()
        with one_thread_if_few(10_000):
            assert threads() == before
