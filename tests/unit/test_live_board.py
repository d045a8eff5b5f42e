"""What followers of the board are sent, whatever the order of posts and reads."""

import asyncio
import json
import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.live._board import Board


def finished(coroutine):
    """Run it in a thread: in this one, tests with a browser may keep a loop of their own."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()


def parse(message):
    name, text = re.fullmatch(rb"event: (\w+)\ndata: ([^\r\n]*)\n\n", message).groups()
    return name.decode(), json.loads(text)


@given(
    st.lists(
        st.one_of(
            st.tuples(st.sampled_from(["edges", "places", "status"]), st.integers(0, 5)),
            st.just("read"),
        ),
        max_size=20,
    )
)
def test_a_follower_ends_with_the_latest_of_every_part_and_nothing_twice(actions):
    async def run():
        board = Board()
        follower = board.follow()
        await anext(follower)  # the pause between tries
        latest, seen, changes = {}, [], 0
        for action in actions:
            if action != "read":
                name, value = action
                board.post(name, value)
                changes += latest.get(name) != value
                latest[name] = value
            elif any(dict(seen).get(name) != value for name, value in latest.items()):
                seen.append(parse(await anext(follower)))
                assert latest[seen[-1][0]] == seen[-1][1], "a read gives what is newest then"
        board.close()
        seen += [parse(message) async for message in follower]
        assert dict(seen) == latest
        assert len(seen) <= changes, "a part that is the same again is not sent again"
        assert not board.followed

    finished(run())


@given(st.recursive(st.text(st.characters(exclude_categories=[])), st.lists, max_leaves=5))
def test_any_text_travels_in_one_line_and_comes_back(value):
    async def run():
        board = Board()
        board.post("edges", value)
        board.close()
        return [message async for message in board.follow()]

    _, message = finished(run())
    assert parse(message) == ("edges", value)


def test_numbers_that_json_does_not_know_are_refused():
    with pytest.raises(ValueError, match="JSON compliant"):
        Board().post("edges", [float("nan")])


def test_a_board_knows_whether_it_is_followed():
    async def run():
        board = Board()
        known = [board.followed]
        one, other = board.follow(), board.follow()
        for follower in (one, other):
            await anext(follower)
        known.append(board.followed)
        await one.aclose()
        known.append(board.followed)
        await other.aclose()
        return [*known, board.followed]

    assert finished(run()) == [False, True, True, False]


def test_a_quiet_board_says_that_it_is_there(monkeypatch):
    monkeypatch.setattr("hedgerow.live._board._QUIET", 0.01)

    async def run():
        follower = Board().follow()
        return [await anext(follower) for _ in range(3)]

    assert finished(run())[1:] == [b": still here\n\n"] * 2
