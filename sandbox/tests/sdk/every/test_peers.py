"""Tests of MCP servers and A2A agents that the client calls.

Only the asynchronous client speaks MCP: the synchronous one, in every release so far, opens the server's transport in
one call of its event loop and leaves it open, which anyio refuses before anything is sent to MANTYX.
"""

import sys

from mantyx import define_local_a2a, define_local_mcp

from processes import PEERS

SYSTEM = "You help."
HEADERS = {"Authorization": "Bearer peer-secret"}


def over_stdio():
    return define_local_mcp(name="fs", command=sys.executable, args=[str(PEERS / "mcp_server.py")])


def echoes(events):
    return [event.data for event in events if event.type == "local_tool_result_in"]


def test_an_mcp_server_over_stdio_answers_its_calls(with_async_client):
    prompt = '/call fs_list_files {"folder": "docs"}\n/call fs_add {"a": 2, "b": 3}\n/say Done.'

    async def run(client):
        return await client.run_agent(system_prompt=SYSTEM, prompt=prompt, tools=[over_stdio()])

    result = with_async_client(run)
    calls = [event.data for event in result.events if event.type == "local_tool_call"]
    assert [(call["kind"], call["mcpServer"]) for call in calls] == [("mcp_local", "fs")] * 2
    # The name of the server. The early release uses the client's name for it.
    assert {call["mcpServerInfo"]["name"] for call in calls} <= {"files", "fs"}
    # The client prefixes the names of tools with the server's, though one document says that only `mcp` does so.
    assert [call["mcpToolName"] for call in calls] == ["fs_list_files", "fs_add"]
    assert sorted(echo["output"] for echo in echoes(result.events)) == ["5", "docs: a.txt, b.txt"]
    assert result.text == "Done."


def test_the_model_gets_the_error_of_an_mcp_tool(with_async_client):
    async def run(client):
        return await client.run_agent(
            system_prompt=SYSTEM, prompt="/call fs_explode {}\n/say Hm.", tools=[over_stdio()]
        )

    result = with_async_client(run)
    assert "explode" in echoes(result.events)[0]["error"]
    assert result.text == "Hm."


def test_a_session_keeps_its_mcp_server_for_all_messages(with_async_client):
    async def run(client):
        session = await client.create_session(system_prompt=SYSTEM, tools=[over_stdio()])
        texts = [(await session.send(f'/call fs_add {{"a": {n}, "b": 1}}')).text for n in (1, 41)]
        await session.end()
        return texts

    first, second = with_async_client(run)
    assert "2" in first and "42" in second


def test_an_mcp_server_over_http_is_reached_with_its_headers(with_async_client, mcp_url):
    async def run(client):
        server = define_local_mcp(name="fs", url=mcp_url, headers=HEADERS)
        prompt = '/call fs_add {"a": 1, "b": 1}\n/say Ok.'
        return await client.run_agent(system_prompt=SYSTEM, prompt=prompt, tools=[server])

    assert [echo["output"] for echo in echoes(with_async_client(run).events)] == ["2"]


def ask_hr(client, a2a_url):
    peer = define_local_a2a(name="hr", agent_card_url=f"{a2a_url}/.well-known/agent-card.json")
    prompt = '/call hr {"message": "How many days off?"}\n/say Asked.'
    return client.run_agent(system_prompt=SYSTEM, prompt=prompt, tools=[peer])


def check_hr(result):
    call = next(event.data for event in result.events if event.type == "local_tool_call")
    assert (call["kind"], call["agentCard"]["name"]) == ("a2a_local", "Acme HR")
    assert [echo["output"] for echo in echoes(result.events)] == ["HR says: How many days off?"]
    assert result.text == "Asked."


def test_an_a2a_peer_answers_a_delegation(client, a2a_url):
    check_hr(ask_hr(client, a2a_url))


def test_the_asynchronous_client_delegates_too(with_async_client, a2a_url):
    check_hr(with_async_client(lambda client: ask_hr(client, a2a_url)))
