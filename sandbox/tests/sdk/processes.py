"""Peers as processes of their own."""

import pathlib
import subprocess
import sys

PEERS = pathlib.Path(__file__).parent / "peers"


def start_peer(script, *arguments):
    """Starts a peer that prints its URL once it listens; stops it at the end."""
    process = subprocess.Popen([sys.executable, PEERS / script, *arguments], stdout=subprocess.PIPE, text=True)
    try:
        url = process.stdout.readline().strip()
        assert url.startswith("http://127.0.0.1:"), f"{script} did not start"
        yield url
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
