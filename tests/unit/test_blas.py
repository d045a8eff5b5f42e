"""One thread of BLAS for small products: for as long as any of them lasts, and no longer."""

from concurrent.futures import ThreadPoolExecutor
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


def test_threads_that_come_later_change_it_too():
    """Since threadpoolctl 3.8 nobody but who changed it last would, until that thread ends."""
    with threadpool_limits(2, user_api="blas"):
        pass
    before = threads()
    with one_thread_if_few(64):
        assert threads() == {1}
    with ThreadPoolExecutor(1) as other:
        first = ExitStack()
        other.submit(first.enter_context, one_thread_if_few(64)).result()
        assert other.submit(threads).result() == {1}
        with one_thread_if_few(64):
            other.submit(first.close).result()
            assert threads() == {1}
        assert threads() == before
        with threadpool_limits(2, user_api="blas"):
            assert 2 in threads()


def test_products_of_many_columns_keep_their_threads():
    with threadpool_limits(2, user_api="blas"):
        before = threads()
        with one_thread_if_few(10_000):
            assert threads() == before
