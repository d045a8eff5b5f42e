"""The live page among clients that ask slowly, or not at all."""

import re
import socket
from contextlib import ExitStack, closing, suppress
from http.client import HTTPConnection

import pytest

from hedgerow.live import _protocol, serve
from tests.fake_runs import status

HALF = b"GET / HTTP/1.1\r\nHost: "
LONG = 30  # seconds; far more than anything here takes, also on a busy machine


@pytest.fixture
def page():
    with serve() as page:
        yield page


def port_of(page):
    return int(re.search(r":(\d+)/", page.url)[1])


def connect(page, first=b""):
    plain = socket.create_connection(("127.0.0.1", port_of(page)), timeout=LONG)
    plain.sendall(first)
    return plain


def ask(page):
    with closing(HTTPConnection("127.0.0.1", port_of(page), timeout=LONG)) as connection:
        connection.request("GET", "/")
        return connection.getresponse().status


def is_let_go(plain):
    """Wait until the other side ends the connection."""
    with suppress(ConnectionResetError):
        return plain.recv(1000) == b""
    return True


@pytest.mark.parametrize("begun", [b"", HALF], ids=["nothing", "half"])
def test_two_hundred_of_them_block_nobody(page, monkeypatch, begun):
    monkeypatch.setattr(_protocol, "PATIENCE", 1000.0)  # they do not go by themselves
    with ExitStack() as crowd:
        slow = [crowd.enter_context(connect(page, begun)) for _ in range(200)]
        assert [ask(page) for _ in range(3)] == [200, 200, 200]
        for each in slow:
            each.sendall(b"x" if begun else HALF)
        assert ask(page) == 200


def test_when_there_are_too_many_the_oldest_go_first(page, monkeypatch):
    monkeypatch.setattr(_protocol, "PATIENCE", 1000.0)
    monkeypatch.setattr(_protocol, "MOST_WAITING", 5)
    with ExitStack() as crowd:
        slow = [crowd.enter_context(connect(page, HALF)) for _ in range(8)]
        assert all(is_let_go(each) for each in slow[:3])
        own = f"127.0.0.1:{port_of(page)}\r\n\r\n".encode()
        slow[-1].sendall(own)
        assert slow[-1].recv(100).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize("begun", [b"", HALF], ids=["nothing", "half"])
def test_a_request_has_a_time_limit(page, monkeypatch, begun):
    monkeypatch.setattr(_protocol, "PATIENCE", 0.2)
    with connect(page, begun) as slow:
        assert is_let_go(slow)


def test_byte_by_byte_does_not_stop_the_clock(page, monkeypatch):
    monkeypatch.setattr(_protocol, "PATIENCE", 0.5)
    with connect(page) as slow:
        slow.settimeout(0.02)
        gone = False
        for _ in range(int(LONG / 0.02)):
            with suppress(TimeoutError):
                gone = is_let_go(slow)
            if gone:
                break
            with suppress(OSError):
                slow.sendall(b"G")
        assert gone


def test_the_second_request_of_a_connection_has_a_limit_too(page, monkeypatch):
    monkeypatch.setattr(_protocol, "PATIENCE", 1.0)
    connection = HTTPConnection("127.0.0.1", port_of(page), timeout=LONG)
    connection.request("GET", "/")
    assert connection.getresponse().read()
    plain = connection.sock
    plain.sendall(HALF)
    assert is_let_go(plain)
    connection.close()


def test_a_body_that_never_comes_has_a_limit(page, monkeypatch):
    monkeypatch.setattr(_protocol, "PATIENCE", 1.0)
    head = f"POST / HTTP/1.1\r\nHost: 127.0.0.1:{port_of(page)}\r\nContent-Length: 99\r\n\r\n"
    with connect(page, head.encode() + b"a") as slow:
        assert slow.recv(1000).startswith(b"HTTP/1.1 405")
        while not is_let_go(slow):
            pass


def test_a_stream_of_events_outlives_the_limit(page, monkeypatch):
    """Its request was complete; what follows may take as long as the run does."""
    monkeypatch.setattr(_protocol, "PATIENCE", 0.2)
    host = f"127.0.0.1:{port_of(page)}"
    with connect(page, f"GET /events HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()) as reader:
        assert reader.recv(10_000).startswith(b"HTTP/1.1 200")
        for _ in range(3):  # each of these connections lives through a whole limit
            with connect(page) as idle:
                assert is_let_go(idle)
        page(status(77))
        text = b""
        while b'"rows":77' not in text:
            piece = reader.recv(10_000)
            assert piece, "the stream was cut"
            text += piece
