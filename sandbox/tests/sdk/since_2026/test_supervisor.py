"""Tests of the supervisor."""

from mantyx import mantyx_tool

SYSTEM = "You help."
TOOLS = [mantyx_tool("tool_recall"), mantyx_tool("tool_calculator")]
OPEN = {"tools": TOOLS, "tool_budgets": {}, "loop_detection": False}


def reviews(events):
    return [event.data for event in events if event.type == "supervisor"]


def test_a_run_that_makes_progress_is_on_track(client):
    prompt = "".join(f'/call calculator {{"expression":"{n}+1"}}\n/say On.\n' for n in range(7))
    result = client.run_agent(system_prompt=SYSTEM, prompt=prompt, supervisor={"interval": 3}, **OPEN)
    assert [(review["action"], review["llmCalls"]) for review in reviews(result.events)] == [
        ("on_track", 3),
        ("on_track", 6),
    ]


def test_a_run_that_repeats_itself_is_redirected_then_ended(client):
    prompt = '/repeat 20\n/call recall {"query": "x"}'
    result = client.run_agent(system_prompt=SYSTEM, prompt=prompt, supervisor={"interval": 2}, **OPEN)
    assert [review["action"] for review in reviews(result.events)] == ["redirect", "finalize"]
    assert reviews(result.events)[0]["redirect"]
    assert result.text


def test_without_a_supervisor_there_are_no_reviews(client):
    prompt = '/repeat 6\n/call recall {"query": "x"}\n/say Done.'
    assert reviews(client.run_agent(system_prompt=SYSTEM, prompt=prompt, **OPEN).events) == []
    assert reviews(client.run_agent(system_prompt=SYSTEM, prompt=prompt, supervisor=False, **OPEN).events) == []


def test_messages_inherit_the_supervisor_and_can_disable_it(client):
    session = client.create_session(system_prompt=SYSTEM, supervisor={"interval": 1}, **OPEN)
    prompt = '/call recall {"query": "x"}\n/say Done.'
    assert reviews(session.send(prompt).events)
    assert reviews(session.send(prompt, supervisor=False).events) == []
