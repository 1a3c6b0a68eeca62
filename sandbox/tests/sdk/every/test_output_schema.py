"""Tests of structured output."""

import pytest
from mantyx import MantyxParseError, MantyxRunError, parse_run_output
from pydantic import BaseModel

SYSTEM = "You extract."
SCHEMA = {"type": "object", "properties": {"total": {"type": "number"}}, "required": ["total"]}


class Invoice(BaseModel):
    total: float


def test_the_answer_is_parsed_into_the_callers_model(client):
    result = client.run_agent(
        system_prompt=SYSTEM, prompt='/json {"total": 12.5}', output_schema={"name": "invoice", "schema": SCHEMA}
    )
    assert parse_run_output(result) == {"total": 12.5}
    assert parse_run_output(result, Invoice.model_validate) == Invoice(total=12.5)


def test_a_model_with_schemas_enforces_them(client):
    result = client.run_agent(
        system_prompt=SYSTEM, prompt="What does the invoice say?", output_schema={"name": "invoice", "schema": SCHEMA}
    )
    assert isinstance(parse_run_output(result, Invoice.model_validate), Invoice)


def test_an_answer_without_json_is_a_parse_error_with_its_text(client):
    result = client.run_agent(system_prompt=SYSTEM, prompt="/say Sorry.", output_schema={"schema": SCHEMA})
    with pytest.raises(MantyxParseError) as error:
        parse_run_output(result)
    assert error.value.text == "Sorry."


def test_truncated_json_raises_with_the_partial_text(client):
    with pytest.raises(MantyxRunError) as error:
        client.run_agent(
            system_prompt=SYSTEM, prompt='/json {"total": 1204\n/truncate', output_schema={"schema": SCHEMA}
        )
    assert error.value.error_class == "truncation"
    assert error.value.finish_reason == "max_tokens"
    assert error.value.partial_text == '{"total": 1204'
