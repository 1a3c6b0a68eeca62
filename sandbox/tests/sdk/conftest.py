"""Clients that are told three things only: where MANTYX is, a key, and the workspace's slug."""

import asyncio

import pytest
from mantyx import AsyncMantyxClient, MantyxClient

from place import KEY, URL, WORKSPACE
from processes import start_peer


@pytest.fixture
def client():
    with MantyxClient(api_key=KEY, workspace_slug=WORKSPACE, base_url=URL) as client:
        yield client


@pytest.fixture
def with_async_client():
    """Runs a coroutine function to its end with an asynchronous client of its own."""

    def run(work):
        async def main():
            async with AsyncMantyxClient(api_key=KEY, workspace_slug=WORKSPACE, base_url=URL) as client:
                return await work(client)

        return asyncio.run(main())

    return run


@pytest.fixture(scope="session")
def mcp_url():
    """A real MCP server over Streamable HTTP that lets in only who knows its secret."""
    yield from start_peer("mcp_server.py", "http")


@pytest.fixture(scope="session")
def a2a_url():
    """A real A2A peer, as its base URL."""
    yield from start_peer("a2a_peer.py")
