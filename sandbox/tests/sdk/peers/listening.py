"""Serving on a free loopback port that is told on standard output."""

import socket

import uvicorn


def bind():
    """A socket that already takes connections, and the URL that leads to it."""
    listener = socket.create_server(("127.0.0.1", 0))
    return listener, f"http://127.0.0.1:{listener.getsockname()[1]}"


def serve(app, listener, announcement):
    print(announcement, flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[listener])
