"""Tests of feedback."""

import pytest
from mantyx import MantyxClient, MantyxError, MantyxScopeError

from consent import sign_in
from target import URL, WORKSPACE


def test_the_last_verdict_on_a_run_counts(client, with_async_client):
    run_id = client.run_agent(system_prompt="You help.", prompt="/say Done.").run_id
    first = client.submit_run_feedback(run_id, "UP", explanation="Nailed it")

    async def change_mind(async_client):
        return await async_client.submit_run_feedback(run_id, "DOWN")

    second = with_async_client(change_mind)
    assert (first.verdict, second.verdict) == ("UP", "DOWN")
    assert first.id == second.id
    assert (second.target_kind, second.agent_run_id) == ("agent_run", run_id)


def test_feedback_on_an_unknown_run_is_refused(client):
    with pytest.raises(MantyxError) as refused:
        client.submit_run_feedback("run_none", "UP")
    assert refused.value.status == 404


def test_feedback_needs_its_scope(client):
    run_id = client.run_agent(system_prompt="You help.", prompt="/say Done.").run_id
    token = sign_in("runs:write")["access_token"]
    with MantyxClient(access_token=token, workspace_slug=WORKSPACE, base_url=URL) as limited:
        with pytest.raises(MantyxScopeError) as refused:
            limited.submit_run_feedback(run_id, "UP")
    assert refused.value.required_scopes == ("feedback:write",)
