"""Tests of sessions."""

import pytest
from mantyx import MantyxError, MantyxRunError, define_local_tool

from target import snapshot

SYSTEM = "You help."


def said(session):
    return [(message["role"], message["content"]) for message in session.history()]


def test_messages_are_stored_in_order(client):
    session = client.create_session(system_prompt=SYSTEM, name="support-chat")
    assert session.send("/say one").text == "one"
    deltas = [event.text for event in session.stream("/say two") if event.type == "assistant_delta"]
    assert "".join(deltas) == "two"
    assert said(session) == [("user", "/say one"), ("assistant", "one"), ("user", "/say two"), ("assistant", "two")]
    info = session.info()
    assert (info.id, info.name, info.status, info.ended_at) == (session.id, "support-chat", "active", None)
    assert info.agent_spec["systemPrompt"] == SYSTEM


def test_a_failed_message_is_not_stored(client):
    session = client.create_session(system_prompt=SYSTEM)
    session.send("/say one")
    with pytest.raises(MantyxRunError):
        session.send("/say tw\n/truncate")
    session.send("/say three")
    assert [content for _, content in said(session)] == ["/say one", "one", "/say three", "three"]


def test_a_session_is_resumed_by_another_client_with_its_handlers(client, with_async_client):
    session = client.create_session(
        system_prompt=SYSTEM, tools=[define_local_tool(name="who", execute=lambda _: "the first")]
    )
    assert "the first" in session.send("/call who {}").text

    async def resume(async_client):
        async def who(_):
            return "the second"

        resumed = await async_client.resume_session(session.id, tools=[define_local_tool(name="who", execute=who)])
        result = await resumed.send("/call who {}")
        return result, await resumed.history()

    result, history = with_async_client(resume)
    assert "the second" in result.text
    assert len(history) == 4


def test_metadata_is_inherited_and_a_message_may_add_to_it(client):
    session = client.create_session(system_prompt=SYSTEM, metadata={"customer": "acme", "env": "prod"})
    first = session.send("/say x", metadata={"env": "dev", "turn": "1"})
    second = session.send("/say x")
    assert snapshot(first.run_id)["metadata"] == {"customer": "acme", "env": "dev", "turn": "1"}
    assert snapshot(second.run_id)["metadata"] == {"customer": "acme", "env": "prod"}
    assert session.info().metadata == {"customer": "acme", "env": "prod"}


def test_overrides_last_for_one_message(client):
    session = client.create_session(system_prompt=SYSTEM)
    prompt = "/think Hm.\n/say Yes."
    kinds = {event.type for event in session.send(prompt, reasoning_level="high").events}
    assert "thinking_delta" in kinds
    assert "thinking_delta" not in {event.type for event in session.send(prompt).events}


def test_an_ended_session_takes_no_more_messages(client):
    session = client.create_session(system_prompt=SYSTEM)
    session.send("/say one")
    session.end()
    assert session.info().status == "ended" and session.info().ended_at
    with pytest.raises(MantyxError) as refused:
        session.send("/say two")
    assert refused.value.status == 409
    assert len(session.history()) == 2


def test_ending_a_session_cancels_its_run(client):
    session = client.create_session(system_prompt=SYSTEM)
    kinds = []
    for event in session.stream("/say Working.\n/sleep 600000"):
        kinds.append(event.type)
        if kinds == ["assistant_delta"]:
            client.end_session(session.id)
    assert kinds[-1] == "cancelled"


def test_an_unknown_session_is_not_found(client):
    for ask in (client.get_session_info, client.resume_session, client.end_session):
        with pytest.raises(MantyxError) as refused:
            ask("ses_none")
        assert (refused.value.status, refused.value.code) == (404, "not_found")
