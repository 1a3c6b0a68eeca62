"""An MCP server over stdio, or over Streamable HTTP behind a secret."""

import sys

try:
    from mcp.server.mcpserver import MCPServer
except ImportError:
    # The name in release 1 of the library.
    from mcp.server.fastmcp import FastMCP as MCPServer

SECRET = "Bearer peer-secret"

server = MCPServer("files")


@server.tool()
def list_files(folder: str) -> str:
    """Lists a folder."""
    return f"{folder}: a.txt, b.txt"


@server.tool()
def add(a: int, b: int) -> str:
    """Adds two whole numbers."""
    return str(a + b)


@server.tool()
def explode() -> str:
    """Always fails."""
    raise ValueError("the disk is on fire")


def guarded(app):
    """Wraps the application: 401 without the secret."""

    async def check(scope, receive, send):
        headers = dict(scope.get("headers", []))
        if scope["type"] == "http" and headers.get(b"authorization") != SECRET.encode():
            await send({"type": "http.response.start", "status": 401, "headers": []})
            await send({"type": "http.response.body", "body": b""})
            return
        await app(scope, receive, send)

    return check


if sys.argv[1:] == ["http"]:
    from listening import bind, serve

    listener, url = bind()
    serve(guarded(server.streamable_http_app()), listener, f"{url}/mcp")
else:
    server.run()
