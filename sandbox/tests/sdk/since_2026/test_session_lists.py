"""Tests of session lists and of the replay of conversations.

Release 0.10.1 has none of it: its clients can create, resume, read and end a session, but neither list sessions nor
replay one as events (no `list_sessions`, no `events`, no `events_page`). So these run with the current release only.
"""

import uuid

import pytest
from mantyx import MantyxError

SYSTEM = "You help."


def conversation(client, *words):
    session = client.create_session(system_prompt=SYSTEM)
    for word in words:
        session.send(f"/say {word}")
    return session


def test_sessions_are_found_by_their_metadata_most_recent_first(client):
    customer = uuid.uuid4().hex
    sessions = [
        client.create_session(system_prompt=SYSTEM, metadata={"customer": customer, "env": env})
        for env in ("prod", "dev", "prod")
    ]
    sessions[0].send("How do I reset my password?")
    found = client.list_sessions(metadata={"customer": customer, "env": "prod"})
    assert [row.session_id for row in found.sessions] == [sessions[0].id, sessions[2].id]
    assert (found.total, found.offset, found.next_cursor) == (2, 0, None)
    row = found.sessions[0]
    assert (row.summary, row.status) == ("How do I reset my password?", "active")
    assert row.metadata == {"customer": customer, "env": "prod"}
    assert row.last_interaction_date >= row.creation_date


def test_sessions_are_paged_by_cursor_and_by_offset(client):
    metadata = {"batch": uuid.uuid4().hex}
    ids = {client.create_session(system_prompt=SYSTEM, metadata=metadata).id for _ in range(5)}
    seen, cursor = [], None
    while True:
        page = client.list_sessions(metadata=metadata, limit=2, cursor=cursor)
        assert page.limit == 2 and len(page.sessions) <= 2
        seen += [row.session_id for row in page.sessions]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert len(seen) == 5 and set(seen) == ids
    by_offset = client.list_sessions(metadata=metadata, limit=2, offset=4)
    assert [row.session_id for row in by_offset.sessions] == seen[4:]


def test_sessions_are_filtered_by_status(client):
    metadata = {"batch": uuid.uuid4().hex}
    ended = client.create_session(system_prompt=SYSTEM, metadata=metadata)
    client.create_session(system_prompt=SYSTEM, metadata=metadata)
    ended.end()
    assert [row.session_id for row in client.list_sessions(metadata=metadata, status="ended").sessions] == [ended.id]


def test_a_malformed_filter_is_refused(client):
    with pytest.raises(MantyxError) as refused:
        client.list_sessions(limit=201)
    assert (refused.value.status, refused.value.code) == (400, "invalid_request")


def test_a_conversation_is_replayed_as_events(client):
    session = conversation(client, "one", "two")
    frames = [(event.seq, event.type, event.text) for event in session.events(full=True)]
    assert frames == [
        (1, "user_message", "/say one"),
        (2, "assistant_message", "one"),
        (3, "user_message", "/say two"),
        (4, "assistant_message", "two"),
    ]
    assert [event.seq for event in session.events(last_messages=1)] == [4]
    assert session.events()[0].user_message() == {"text": "/say one"}


def test_a_long_conversation_is_replayed_page_by_page(client, with_async_client):
    session = conversation(client, "one", "two", "three")
    page = session.events_page(last_messages=4)
    assert (page.session_id, page.total, page.truncated) == (session.id, 6, True)
    assert ([event.seq for event in page.events], page.next_before_seq) == ([3, 4, 5, 6], 3)

    async def earlier(async_client):
        return await async_client.get_session_events_page(session.id, before_seq=page.next_before_seq)

    rest = with_async_client(earlier)
    assert ([event.seq for event in rest.events], rest.next_before_seq, rest.truncated) == ([1, 2], None, False)
