"""A redis-server of our own for a while, on a free port."""

import socket
import subprocess
import time
from pathlib import Path
from typing import Self

import redis


class RedisServer:
    """A server in memory, or one that keeps all it was told in a folder and can be restarted."""

    def __init__(self, folder: Path | None = None) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.client = redis.Redis(port=self.port)
        keeping = ["--dir", str(folder), "--appendonly", "yes", "--appendfsync", "always"]
        self._command = ["redis-server", "--port", str(self.port), "--save", ""]
        self._command += keeping if folder else []
        self.start()

    @property
    def address(self) -> str:
        """What the address of a stream begins with."""
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """Start, and wait until it answers."""
        self._process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL)
        for _ in range(1000):
            try:
                self.client.ping()
                return
            except redis.ConnectionError:
                time.sleep(0.02)
        raise RuntimeError("redis-server does not answer")

    def stop(self) -> None:
        """Kill it."""
        self._process.kill()
        self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
