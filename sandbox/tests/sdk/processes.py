"""MCP servers and A2A agents as child processes."""

import pathlib
import subprocess
import sys

PEERS = pathlib.Path(__file__).parent / "peers"


def start_peer(script, *arguments):
    """Starts a process that prints its URL when it listens; stops it at the end."""
    process = subprocess.Popen([sys.executable, PEERS / script, *arguments], stdout=subprocess.PIPE, text=True)
    try:
        url = process.stdout.readline().strip()
        assert url.startswith("http://127.0.0.1:"), f"{script} did not start"
        yield url
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
