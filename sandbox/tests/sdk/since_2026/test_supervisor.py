"""The judge that looks at a run every few turns."""

from mantyx import mantyx_tool

SYSTEM = "You help."
TOOLS = [mantyx_tool("tool_recall"), mantyx_tool("tool_calculator")]
OPEN = {"tools": TOOLS, "tool_budgets": {}, "loop_detection": False}


def reviews(events):
    return [event.data for event in events if event.type == "supervisor"]


def test_a_run_that_gets_somewhere_is_on_track(client):
    prompt = "".join(f'/call calculator {{"expression":"{n}+1"}}\n/say On.\n' for n in range(7))
    result = client.run_agent(system_prompt=SYSTEM, prompt=prompt, supervisor={"interval": 3}, **OPEN)
    assert [(review["action"], review["llmCalls"]) for review in reviews(result.events)] == [
        ("on_track", 3),
        ("on_track", 6),
    ]


def test_a_run_in_circles_is_redirected_then_brought_to_an_end(client):
    prompt = '/repeat 20\n/call recall {"query": "x"}'
    result = client.run_agent(system_prompt=SYSTEM, prompt=prompt, supervisor={"interval": 2}, **OPEN)
    assert [review["action"] for review in reviews(result.events)] == ["redirect", "finalize"]
    assert reviews(result.events)[0]["redirect"]
    assert result.text


def test_nobody_looks_unless_asked_to(client):
    prompt = '/repeat 6\n/call recall {"query": "x"}\n/say Done.'
    assert reviews(client.run_agent(system_prompt=SYSTEM, prompt=prompt, **OPEN).events) == []
    assert reviews(client.run_agent(system_prompt=SYSTEM, prompt=prompt, supervisor=False, **OPEN).events) == []


def test_a_session_hands_its_supervisor_down_and_a_message_may_do_without(client):
    session = client.create_session(system_prompt=SYSTEM, supervisor={"interval": 1}, **OPEN)
    prompt = '/call recall {"query": "x"}\n/say Done.'
    assert reviews(session.send(prompt).events)
    assert reviews(session.send(prompt, supervisor=False).events) == []
