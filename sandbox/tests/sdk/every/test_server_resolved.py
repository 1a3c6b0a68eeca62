"""Tests of MCP servers and A2A agents that the server calls."""

from mantyx import mantyx_a2a, mantyx_mcp

SYSTEM = "You help."
HEADERS = {"Authorization": "Bearer peer-secret"}


def results(events):
    return [(event.data["name"], event.data["result"]) for event in events if event.type == "tool_result"]


def test_tools_of_an_mcp_server_are_called_with_its_headers(client, mcp_url):
    prompt = '/call fs_list_files {"folder": "docs"}\n/call fs_add {"a": 2, "b": 3}\n/say Done.'
    tools = [mantyx_mcp(name="fs", url=mcp_url, headers=HEADERS)]
    result = client.run_agent(system_prompt=SYSTEM, prompt=prompt, tools=tools)
    assert results(result.events) == [("fs_list_files", "docs: a.txt, b.txt"), ("fs_add", "5")]
    assert not any(event.type == "local_tool_call" for event in result.events)
    assert result.text == "Done."


def test_a_filter_hides_the_other_tools(client, mcp_url):
    tools = [mantyx_mcp(name="fs", url=mcp_url, headers=HEADERS, tool_filter=["add"])]
    prompt = '/call fs_add {"a": 1, "b": 1}\n/call fs_list_files {"folder": "docs"}\n/say Done.'
    added, listed = results(client.run_agent(system_prompt=SYSTEM, prompt=prompt, tools=tools).events)
    assert added == ("fs_add", "2")
    assert listed[0] == "fs_list_files" and "a.txt" not in listed[1]


def test_an_mcp_server_that_refuses_gets_a_placeholder_tool(client, mcp_url):
    tools = [mantyx_mcp(name="fs", url=mcp_url)]
    result = client.run_agent(system_prompt=SYSTEM, prompt="/call fs_unavailable {}\n/say Without it.", tools=tools)
    assert [name for name, _ in results(result.events)] == ["fs_unavailable"]
    assert result.text == "Without it."


def test_an_a2a_agent_is_called_by_its_card(client, a2a_url):
    tools = [mantyx_a2a(name="hr", agent_card_url=f"{a2a_url}/.well-known/agent-card.json", description="Ask HR.")]
    prompt = '/call hr {"message": "How many days off?"}\n/say Asked.'
    result = client.run_agent(system_prompt=SYSTEM, prompt=prompt, tools=tools)
    assert results(result.events) == [("hr", "HR says: How many days off?")]
    assert result.text == "Asked."


def test_an_a2a_agent_is_found_by_its_root_too(with_async_client, a2a_url):
    async def run(client):
        tools = [mantyx_a2a(name="hr", agent_card_url=a2a_url)]
        return await client.run_agent(system_prompt=SYSTEM, prompt='/call hr {"message": "Hello"}', tools=tools)

    assert results(with_async_client(run).events) == [("hr", "HR says: Hello")]
