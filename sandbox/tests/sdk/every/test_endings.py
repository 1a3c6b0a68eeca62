"""Tests of failed and cancelled runs."""

import threading
import uuid

import pytest
from mantyx import MantyxRunError, define_local_tool

from target import run_with, snapshot

SYSTEM = "You help."


def failed_run(client, prompt, **options):
    with pytest.raises(MantyxRunError) as error:
        client.run_agent(system_prompt=SYSTEM, prompt=prompt, **options)
    return error.value


def test_a_truncated_answer_is_on_the_error(client):
    error = failed_run(client, "/say The invoice tot\n/truncate")
    assert (error.error_class, error.finish_reason, error.partial_text) == (
        "truncation",
        "max_tokens",
        "The invoice tot",
    )
    assert (snapshot(error.run_id)["status"], snapshot(error.run_id)["finalText"]) == ("failed", "The invoice tot")


def test_the_asynchronous_client_raises_the_same(with_async_client):
    async def run(client):
        with pytest.raises(MantyxRunError) as error:
            await client.run_agent(system_prompt=SYSTEM, prompt="/say Half an ans\n/truncate")
        return error.value

    error = with_async_client(run)
    assert (error.error_class, error.partial_text) == ("truncation", "Half an ans")


def test_failures_of_the_model_have_their_class(client):
    for error_class, retryable in (("rate_limit", True), ("overloaded", True), ("auth", False)):
        error = failed_run(client, f"/fail {error_class}")
        assert (error.subtype, error.error_class, error.retryable) == (error_class, error_class, retryable)


def test_a_timeout_of_a_local_tool_ends_the_run(client):
    release = threading.Event()
    tool = define_local_tool(name="wait", execute=lambda _: release.wait(60) and "late")

    def let_go(event):
        # The handler must outlast the run, and the client waits for its handlers before it raises.
        if event.type == "error":
            release.set()

    error = failed_run(
        client, "/call wait {}", tools=[tool], budgets={"localToolTimeoutMs": 50}, on_event=let_go
    )
    assert error.error_class == "local_timeout"


def test_cancelling_ends_the_run_permanently(client):
    metadata = {"test": f"cancel-{uuid.uuid4().hex}"}
    kinds = []

    def cancel(event):
        kinds.append(event.type)
        if event.type == "assistant_delta" and kinds.count("assistant_delta") == 1:
            run_id = run_with(metadata)
            client.cancel_run(run_id)
            client.cancel_run(run_id)

    error = failed_run(client, "/say Working.\n/sleep 600000\n/say Never.", metadata=metadata, on_event=cancel)
    assert error.subtype == "cancelled" and kinds[-1] == "cancelled"
    assert snapshot(error.run_id)["status"] == "cancelled"
    client.cancel_run(error.run_id)
    assert snapshot(error.run_id)["status"] == "cancelled"


def test_the_asynchronous_client_cancels_during_a_local_tool_call(with_async_client):
    metadata = {"test": f"cancel-{uuid.uuid4().hex}"}

    async def run(client):
        async def approve(_):
            await client.cancel_run(run_with(metadata))
            return "too late"

        tool = define_local_tool(name="approve", execute=approve)
        with pytest.raises(MantyxRunError) as error:
            await client.run_agent(system_prompt=SYSTEM, prompt="/call approve {}", tools=[tool], metadata=metadata)
        return error.value

    assert with_async_client(run).subtype == "cancelled"
