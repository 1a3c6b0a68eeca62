"""Tests of the fallback model."""

import pytest
from mantyx import MantyxError, MantyxRunError

SYSTEM = "You help."
BOTH = {"model_id": "sandbox/script", "fallback_model_id": "sandbox/script-large"}


def test_the_fallback_takes_over_an_outage(client):
    result = client.run_agent(system_prompt=SYSTEM, prompt="/fail overloaded\n/say From the other one.", **BOTH)
    switch = [event.data for event in result.events if event.type == "model_fallback"]
    assert [(data["errorClass"], data["primaryModelId"], data["fallbackModelId"]) for data in switch] == [
        ("overloaded", "sandbox/script", "sandbox/script-large")
    ]
    assert (result.text, result.model.id) == ("From the other one.", "sandbox/script-large")


def test_refused_credentials_are_no_outage(client):
    with pytest.raises(MantyxRunError) as error:
        client.run_agent(system_prompt=SYSTEM, prompt="/fail auth\n/say Never.", **BOTH)
    assert (error.value.error_class, error.value.model.id) == ("auth", "sandbox/script")


def test_a_session_keeps_its_fallback_model(client):
    session = client.create_session(system_prompt=SYSTEM, **BOTH)
    assert session.send("/fail server\n/say one").model.id == "sandbox/script-large"
    assert session.send("/say two").model.id == "sandbox/script-large"


def test_an_unknown_fallback_is_refused(client):
    with pytest.raises(MantyxError) as refused:
        client.run_agent(system_prompt=SYSTEM, prompt="Hello", fallback_model_id="none")
    assert (refused.value.status, refused.value.code) == (400, "invalid_model")
