"""An MCP server made with the official SDK: over HTTP on a free port, or over stdio with `stdio` as its argument."""

import asyncio
import logging
import os
import sys

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError

logging.disable(logging.ERROR)
server = MCPServer("Calculator", version="1.2.3")
calls = 0


@server.tool()
def add(a: int, b: int) -> str:
    """Adds two numbers."""
    global calls
    calls += 1
    return str(a + b)


@server.tool()
def count() -> str:
    """How often `add` was called."""
    return str(calls)


@server.tool()
def fail(why: str) -> str:
    """Always fails."""
    raise ToolError(why)


@server.tool()
async def wait(seconds: float) -> str:
    """Takes its time."""
    await asyncio.sleep(seconds)
    return "waited"


@server.tool()
def environment() -> str:
    """The names of the environment's variables."""
    return " ".join(sorted(os.environ))


@server.tool()
def whoami(context: Context) -> str:
    """The Authorization header of the request."""
    return context.request_context.request.headers.get("authorization", "nobody")


if __name__ == "__main__":
    if sys.argv[1:] == ["stdio"]:
        server.run("stdio")
    else:
        import listen

        listener, _ = listen.bind()
        listen.serve(server.streamable_http_app(), listener)
