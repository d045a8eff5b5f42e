"""A redis-server for a while, in memory only."""

import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

import redis


@contextmanager
def redis_server() -> Iterator[redis.Redis]:
    """Yield a client of a server on a free port."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = ["redis-server", "--port", str(port), "--save", "", "--appendonly", "no"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    client = redis.Redis(port=port)
    try:
        for _ in range(500):
            try:
                client.ping()
                break
            except redis.ConnectionError:
                time.sleep(0.02)
        yield client
    finally:
        process.kill()
        process.wait()
