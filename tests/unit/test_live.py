"""The live page as a server: who may ask for what, and what watching costs the run."""

import json
import re
import socket
from base64 import b64encode
from contextlib import closing, suppress
from hashlib import sha256
from http.client import HTTPConnection
from threading import Thread
from time import sleep

import numpy as np
import pytest

from hedgerow.live import serve
from hedgerow.live._server import listen
from hedgerow.method.graph import OF_EDGES
from tests.fake_runs import change, free_port, look, random_look, status


@pytest.fixture
def page():
    with serve(title="A <b>run</b>") as page:
        yield page


def port_of(page):
    return int(re.fullmatch(r"http://127\.0\.0\.1:(\d+)/", page.url)[1])


def ask(page, method="GET", path="/", **headers):
    """Return status, headers and text of an answer."""
    connection = HTTPConnection("127.0.0.1", port_of(page), timeout=10)
    connection.request(method, path, headers=headers)
    answer = connection.getresponse()
    known = {name.lower(): value for name, value in answer.getheaders()}
    text = answer.read().decode() if path != "/events" or answer.status != 200 else ""
    connection.close()
    return answer.status, known, text


class Reader:
    """A client of /events that reads when told to."""

    def __init__(self, page, buffer=None):
        self.socket = socket.socket()
        if buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        self.socket.settimeout(10)
        self.socket.connect(("127.0.0.1", port_of(page)))
        own = page.url.removeprefix("http://").rstrip("/")
        self.socket.sendall(f"GET /events HTTP/1.0\r\nHost: {own}\r\n\r\n".encode())
        self.text = ""
        self.bytes = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def parts(self):
        found = re.findall(r"^event: (\w+)\r?\ndata: (.*?)\r?\n\r?\n", self.text, re.M)
        return [(name, json.loads(value)) for name, value in found]

    def until(self, holds):
        """Read until ``holds`` of the latest of each part; return that."""
        while not holds(latest := dict(self.parts())):
            ended = False
            while not ended:  # the end of a part; looking at every piece of it would take long
                piece = self.socket.recv(65536)
                assert piece, "the server closed the connection"
                self.text += piece.decode()
                ended = self.text.endswith(("\n\n", "\n\r\n"))
        return latest

    def rest(self):
        """Read to the end, keeping the end only."""
        with suppress(ConnectionResetError):
            while piece := self.socket.recv(65536):
                self.bytes += len(piece)
                self.text = (self.text + piece.decode())[-1_000_000:]


def eventually(holds):
    for _ in range(200):
        if holds():
            return True
        sleep(0.05)
    return False


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"])
def test_own_names_are_answered(page, name):
    assert ask(page, Host=f"{name}:{port_of(page)}")[0] == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example:{}",
        "127.0.0.1",
        "localhost",
        "127.0.0.1:1",
        "localhost.evil:{}",
        "a@localhost:{}",
        "",
    ],
)
@pytest.mark.parametrize("path", ["/", "/events", "/other"])
def test_other_names_are_refused(page, host, path):
    code, _, text = ask(page, path=path, Host=host.format(port_of(page)))
    assert code == 400
    assert f"127.0.0.1:{port_of(page)}" in text
    assert "run" not in text


def test_a_request_without_a_host_or_with_two_is_refused(page):
    for hosts in ("", f"Host: localhost:{port_of(page)}\r\nHost: evil.example\r\n"):
        with socket.create_connection(("127.0.0.1", port_of(page)), timeout=10) as plain:
            plain.sendall(f"GET / HTTP/1.0\r\n{hosts}\r\n".encode())
            assert plain.recv(1000).startswith(b"HTTP/1.1 400")


def test_only_this_machine_can_connect(page):
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.2", port_of(page)), timeout=10)


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])
@pytest.mark.parametrize("path", ["/", "/events"])
def test_nothing_can_be_written(page, method, path):
    assert ask(page, method, path)[0] == 405


@pytest.mark.parametrize("path", ["/", "/events"])
def test_heads_come_without_bodies_and_at_once(page, path):
    connection = HTTPConnection("127.0.0.1", port_of(page), timeout=10)
    for _ in range(2):  # the second answer waits until the first is complete
        connection.request("HEAD", path)
        answer = connection.getresponse()
        assert (answer.status, answer.read()) == (200, b"")
        assert answer.getheader("content-type").startswith("text/")
    connection.close()
    assert not page.wants_look()


@pytest.mark.parametrize(
    ("path", "headers", "code"),
    [
        ("/", {}, 200),
        ("/events", {"Origin": "http://evil.example"}, 200),
        ("/events", {"Sec-Fetch-Site": "cross-site"}, 403),
        ("/events", {"Sec-Fetch-Site": "same-site"}, 403),
        ("/other", {}, 404),
        ("/events/", {}, 404),
        ("/", {"Host": "evil.example"}, 400),
    ],
)
def test_every_answer_is_guarded(page, path, headers, code):
    found, known, _ = ask(page, path=path, **headers)
    assert found == code
    assert known["cache-control"] == "no-store"
    assert known["x-content-type-options"] == "nosniff"
    assert known["referrer-policy"] == "no-referrer"
    assert known["cross-origin-resource-policy"] == "same-origin"
    assert known["content-security-policy"].startswith("default-src 'none';")
    assert not [name for name in known if name.startswith("access-control")]
    assert "server" not in known


def test_the_policy_allows_the_pages_own_script_and_server_only(page):
    _, headers, text = ask(page)
    rules = dict(rule.split(" ", 1) for rule in headers["content-security-policy"].split("; "))
    script = re.search(r"<script>(.*)</script>", text, re.S)[1]
    digest = b64encode(sha256(script.encode()).digest()).decode()
    assert rules["script-src"] == f"'sha256-{digest}'"
    assert rules["connect-src"] == "'self'"
    assert rules["frame-ancestors"] == "'none'"
    assert "unsafe" not in headers["content-security-policy"]
    assert "A <b>run</b>" not in text
    assert r"A \u003cb\u003erun" in text


def test_who_connects_is_sent_what_is_known(page):
    page(
        status(
            400, look=look(["a", "b"], [(0, 1, 0.5)]), changes=[change(64, "appeared", "a", "b")]
        )
    )
    for _ in range(2):
        with Reader(page) as reader:
            latest = reader.until(lambda parts: len(parts) == 5)
        assert latest["variables"]["names"] == ["a", "b"]
        assert latest["edges"]["partialCorr"] == [0.5]
        assert len(latest["places"]["x"]) == 2
        assert latest["status"]["rows"] == 400
        assert latest["changes"][0]["source"] == "a"


def test_who_connects_before_the_first_row_is_told_when_it_comes(page):
    with Reader(page) as reader:
        assert eventually(page.wants_look)
        page(status(0))
        reader.until(lambda parts: parts.get("status", {}).get("rows") == 0)
        page(status(9, bad_rows=2, rows_per_second=3.14159, checkpoint=(8, 5.5)))
        latest = reader.until(lambda parts: parts["status"]["rows"] == 9)
    assert latest["status"] == {
        "phase": "running",
        "rows": 9,
        "badRows": 2,
        "rowsPerSecond": 3.1,
        "checkpoint": {"row": 8, "time": 5.5},
    }
    assert eventually(lambda: not page.wants_look())


def test_names_and_places_are_sent_once_while_they_stay(page):
    first = look(["a", "b", "c"], [(0, 1, 0.5)])
    with Reader(page) as reader:
        for rows in (100, 200, 300):
            page(status(rows, look=first._replace(rows=rows)))
            reader.until(lambda parts, rows=rows: parts.get("status", {}).get("rows") == rows)
        names = [name for name, _ in reader.parts()]
    assert names.count("variables") == names.count("places") == 1
    assert names.count("edges") == 3


def test_the_log_has_the_newest_changes_first_and_an_end(page):
    for row in range(250):
        page(status(row, changes=[change(row, "appeared", "a", row)]))
    with Reader(page) as reader:
        latest = reader.until(lambda parts: parts.get("changes", [{}])[0].get("row") == 249)
    assert [entry["row"] for entry in latest["changes"]] == [*range(249, 49, -1)]
    assert latest["changes"][0]["target"] == "249"


def test_a_look_is_not_lost_when_news_follow_at_once(page):
    page(status(400, look=look(["a", "b"], [(0, 1, 0.5)])))
    page(status(401))
    with Reader(page) as reader:
        reader.until(lambda parts: "edges" in parts and parts.get("status", {}).get("rows") == 401)


def test_a_client_that_does_not_read_costs_neither_time_nor_memory(monkeypatch):
    """It is sent what is newest when it wakes up, not all that it missed."""
    monkeypatch.setattr("hedgerow.live._desk._PAUSE", 0.0)
    shown = random_look(300, 2000)
    with serve() as page, Reader(page, buffer=4096) as sleeper, Reader(page) as awake:
        assert eventually(page.wants_look)
        sent = 0
        for rows in range(200):  # who waited for the sleeper would never come to the end
            page(status(rows, look=shown._replace(rows=rows)))
            awake.until(lambda parts, rows=rows: parts.get("status", {}).get("rows") == rows)
            sent += len(awake.text)
            awake.text = ""
        page(status(200, phase="finished"))
        awake.until(lambda parts: parts.get("status", {}).get("rows") == 200)
        sleeper.socket.settimeout(30)
        reading = Thread(target=sleeper.rest)
        reading.start()
        page.close()
        reading.join()
    assert sleeper.bytes < sent / 3
    assert dict(sleeper.parts())["status"]["phase"] == "finished"


def test_closing_does_not_wait_for_a_client_that_does_not_read(monkeypatch):
    monkeypatch.setattr("hedgerow.live._desk._PAUSE", 0.0)
    shown = random_look(300, 20_000)
    with serve() as page, Reader(page, buffer=4096) as sleeper, Reader(page) as awake:
        assert eventually(page.wants_look)
        sent = 0
        for rows in range(15):  # more bytes than the system takes in between
            page(status(rows, look=shown._replace(rows=rows)))
            awake.until(lambda parts, rows=rows: parts.get("status", {}).get("rows") == rows)
            sent += len(awake.text)
            awake.text = ""
        page.close()  # comes back though one does not read
        sleeper.rest()
    assert sent > 10_000_000
    assert dict(sleeper.parts()).get("status", {}).get("rows") != 14, "it was not behind at all"


def test_too_many_clients_are_told_to_come_back_and_the_others_stay(page):
    with Reader(page) as first:
        assert eventually(page.wants_look)
        crowd = [Reader(page) for _ in range(80)]
        answers = [reader.socket.recv(100) for reader in crowd]  # taken in any order
        page(status(5))
        first.until(lambda parts: "status" in parts)
        for reader in crowd:
            reader.socket.close()
    assert any(answer.startswith(b"HTTP/1.1 503") for answer in answers)
    assert eventually(lambda: ask(page)[0] == 200)


def test_a_port_is_taken_as_soon_as_it_is_chosen():
    port = free_port()
    with closing(listen(port)), pytest.raises(OSError, match=f"port {port} .* is in use"):
        listen(port)


def test_an_error_in_the_run_closes_the_page_and_goes_on():
    port = free_port()
    page = serve(port=port)
    with pytest.raises(ArithmeticError, match="of the run"), page:
        raise ArithmeticError("of the run")
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", port), timeout=10)
    with serve(port=port) as again:
        assert again.url == page.url


def test_the_last_news_arrive_before_the_end():
    page = serve()
    with Reader(page) as reader:
        assert eventually(page.wants_look)
        page(status(7, phase="stopped", look=look(["a", "b"], [])))
        page.close()
        latest = reader.until(lambda parts: "status" in parts)
        assert latest["status"]["phase"] == "stopped"
        assert latest["edges"]["source"] == []
    page.close()  # again, which is fine


def test_a_port_in_use_is_named(page):
    port = port_of(page)
    with pytest.raises(OSError, match=rf"port {port} of 127.0.0.1 is in use; choose another"):
        serve(port=port)


def test_without_a_port_the_next_free_one_is_taken(page):
    with serve() as other:
        assert port_of(other) != port_of(page)
        assert {port_of(other), port_of(page)} < set(range(8484, 8504))


@pytest.mark.parametrize("port", [-1, 65536, 1.5, "80", True, None])
def test_a_port_is_an_integer_in_range(port):
    with pytest.raises(
        ValueError, match=re.escape(f"port must be an integer in [0, 65535], got {port!r}")
    ):
        serve(port=port)


def test_variables_stay_while_few_edges_change(page):
    """A fiftieth of the edges may come and go before anything moves; then it does."""
    first = random_look(60, 200, seed=0)
    graph = first.graph.up_to(first.level)
    n_edges = len(graph.source)

    def without(k):
        return graph._replace(
            **{name: getattr(graph, name)[k:] for name in graph._fields[:OF_EDGES]}
        )

    places = []
    with Reader(page) as reader:
        for rows, shown in [(1, graph), (2, without(n_edges // 60)), (3, without(n_edges // 10))]:
            page(status(rows, look=first._replace(rows=rows, graph=shown)))
            latest = reader.until(
                lambda parts, rows=rows: parts.get("edges", {}).get("rows") == rows
            )
            places.append(np.array([latest["places"]["x"], latest["places"]["y"]]))
    np.testing.assert_array_equal(places[0], places[1])
    assert (places[1] != places[2]).any()
