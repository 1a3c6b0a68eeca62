"""Serves on a free loopback port and prints it on standard output."""

import socket

import uvicorn


def bind():
    """Returns a listening socket and its URL."""
    listener = socket.create_server(("127.0.0.1", 0))
    return listener, f"http://127.0.0.1:{listener.getsockname()[1]}"


def serve(app, listener, announcement):
    print(announcement, flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[listener])
