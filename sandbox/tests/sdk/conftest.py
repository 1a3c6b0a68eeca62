"""Fixtures: clients, which know only URL, key and slug of a workspace, and servers to call."""

import asyncio

import pytest
from mantyx import AsyncMantyxClient, MantyxClient

from target import KEY, URL, WORKSPACE
from processes import start_peer


@pytest.fixture
def client():
    with MantyxClient(api_key=KEY, workspace_slug=WORKSPACE, base_url=URL) as client:
        yield client


@pytest.fixture
def with_async_client():
    """Runs a coroutine function with a new asynchronous client."""

    def run(work):
        async def main():
            async with AsyncMantyxClient(api_key=KEY, workspace_slug=WORKSPACE, base_url=URL) as client:
                return await work(client)

        return asyncio.run(main())

    return run


@pytest.fixture(scope="session")
def mcp_url():
    """The URL of an MCP server over Streamable HTTP that requires a secret."""
    yield from start_peer("mcp_server.py", "http")


@pytest.fixture(scope="session")
def a2a_url():
    """The base URL of an A2A agent."""
    yield from start_peer("a2a_peer.py")
