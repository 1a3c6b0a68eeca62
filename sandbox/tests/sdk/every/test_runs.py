"""Tests of runs and their streams, with both clients."""

import pytest
from mantyx import MantyxError, mantyx_plugin_tool, mantyx_tool

SYSTEM = "You help."


def text_of(events, kind="assistant_delta"):
    return "".join(event.text for event in events if event.type == kind)


def test_a_run_answers_and_its_deltas_add_up(client):
    deltas = []
    result = client.run_agent(
        system_prompt=SYSTEM, prompt="/say The invoice total is 1,204.50 EUR.", on_assistant_delta=deltas.append
    )
    assert result.run_id.startswith("run_")
    assert result.text == "The invoice total is 1,204.50 EUR."
    assert len(deltas) > 1 and "".join(deltas) == result.text
    assert [event.seq for event in result.events] == list(range(1, len(result.events) + 1))
    assert result.events[-1].type == "result"


def test_a_stream_gives_the_events_one_by_one(client):
    events = list(client.stream_agent(system_prompt=SYSTEM, prompt="/say One two three four five six."))
    assert text_of(events) == "One two three four five six."
    assert [event.type for event in events][-2:] == ["assistant_message", "result"]
    assert text_of(events, "assistant_message") == text_of(events)


def test_the_asynchronous_client_does_the_same(with_async_client):
    async def both(client):
        result = await client.run_agent(system_prompt=SYSTEM, prompt="/say Grüezi.")
        stream = client.stream_agent(system_prompt=SYSTEM, prompt="/say Salü zäme, alle miteinander.")
        return result, [event async for event in stream]

    result, events = with_async_client(both)
    assert result.text == "Grüezi."
    assert text_of(events) == "Salü zäme, alle miteinander."
    assert events[-1].type == "result"


def test_thinking_is_streamed_when_reasoning_is_on(client):
    prompt = "/think Let me see.\n/say Yes."
    events = client.run_agent(system_prompt=SYSTEM, prompt=prompt, reasoning_level="medium").events
    assert text_of(events, "thinking_delta") == "Let me see."
    for level in ("off", 0, None):
        events = client.run_agent(system_prompt=SYSTEM, prompt=prompt, reasoning_level=level).events
        assert text_of(events, "thinking_delta") == ""


def test_messages_replace_prompt_and_system_prompt(client):
    messages = [
        {"role": "system", "content": "Be short."},
        {"role": "user", "content": "/say one"},
        {"role": "assistant", "content": "one"},
        {"role": "user", "content": "/say two"},
    ]
    # The early client requires a system prompt in addition to the messages.
    assert client.run_agent(system_prompt=SYSTEM, messages=messages).text == "two"


def test_a_saved_agent_runs_by_its_id(client):
    prompt = '/call document_search {"query":"severity"}\n/say Done.'
    result = client.run_agent(agent_id="agent_support", prompt=prompt)
    assert result.text == "Done."
    found = [event for event in result.events if event.type == "tool_result"]
    assert len(found) == 1 and "Severity 1" in found[0].data["result"]


def test_tools_of_the_platform_are_answered_by_the_server(client):
    prompt = '/call calculator {"expression":"6*7"}\n/call document_search {"query":"refund"}\n/say Done.'
    tools = [mantyx_tool("tool_calculator"), mantyx_plugin_tool("@sandbox/document-search")]
    events = client.run_agent(system_prompt=SYSTEM, prompt=prompt, tools=tools).events
    results = [event.data["result"] for event in events if event.type == "tool_result"]
    assert results[0] == "42" and "Refund policy" in results[1]


def test_an_unknown_model_is_refused_with_its_code(client):
    with pytest.raises(MantyxError) as refused:
        client.run_agent(system_prompt=SYSTEM, prompt="Hello", model_id="openai:none")
    assert (refused.value.status, refused.value.code) == (400, "invalid_model")


def test_an_invalid_spec_is_refused_with_its_code(client):
    with pytest.raises(MantyxError) as refused:
        client.run_agent(system_prompt=SYSTEM, prompt="Hello", metadata={"not a key": "x"})
    assert (refused.value.status, refused.value.code) == (400, "invalid_request")
