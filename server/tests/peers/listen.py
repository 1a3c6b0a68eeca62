"""Serves an ASGI app on a free port of loopback and says which, as the first line of output."""

import socket

import uvicorn


def bind():
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", 0))
    return listener, listener.getsockname()[1]


def serve(app, listener):
    listener.listen()
    print(listener.getsockname()[1], flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[listener])
