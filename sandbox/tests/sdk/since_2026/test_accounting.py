"""Tests of usage, model and schema in results."""

import pytest
from mantyx import MantyxRunError, mantyx_tool

SYSTEM = "You help."
SCHEMA = {"type": "object", "properties": {"total": {"type": "number"}}, "required": ["total"]}


def test_a_result_has_its_usage(client):
    prompt = '/think Six times seven.\n/call calculator {"expression":"6*7"}\n/say 42.'
    result = client.run_agent(
        system_prompt=SYSTEM, prompt=prompt, tools=[mantyx_tool("tool_calculator")], reasoning_level="low"
    )
    assert result.turns == 2
    assert result.tokens.input_tokens > 0 and result.tokens.output_tokens > result.tokens.reasoning_tokens > 0
    assert (result.model.id, result.model.provider, result.model.reasoning_effort) == (
        "sandbox/script",
        "sandbox",
        "low",
    )


def test_a_failure_has_its_usage(client):
    with pytest.raises(MantyxRunError) as error:
        client.run_agent(system_prompt=SYSTEM, prompt="/say Half an ans\n/truncate")
    assert error.value.turns == 1 and error.value.tokens.output_tokens > 0
    assert error.value.model.vendor_model_id == "script"


@pytest.mark.parametrize(
    ("prompt", "enforced", "mechanism", "fallback"),
    [('/json {"total": 1}', True, "native_schema", False), ("/say Sorry.", False, "none", True)],
)
def test_a_result_reports_whether_its_schema_was_enforced(client, prompt, enforced, mechanism, fallback):
    result = client.run_agent(system_prompt=SYSTEM, prompt=prompt, output_schema={"schema": SCHEMA})
    info = result.structured_output
    assert (info.schema_requested, info.schema_enforced, info.enforcement_mechanism) == (True, enforced, mechanism)
    assert info.unconstrained_fallback_occurred is fallback


def test_a_strict_schema_that_does_not_hold_fails_the_run(client):
    with pytest.raises(MantyxRunError) as error:
        client.run_agent(
            system_prompt=SYSTEM, prompt="/say Sorry.", output_schema={"schema": SCHEMA, "enforcement": "strict"}
        )
    assert error.value.error_class == "structured_output_not_enforced"
    assert error.value.partial_text == "Sorry."
    assert error.value.structured_output.schema_enforced is False
