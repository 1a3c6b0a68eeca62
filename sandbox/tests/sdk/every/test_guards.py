"""Tests of the guards of the server."""

import pytest
from mantyx import MantyxRunError, define_local_tool, mantyx_tool

SYSTEM = "You help."
RECALL = [mantyx_tool("tool_recall")]


def of_kind(events, kind):
    return [event.data for event in events if event.type == kind]


def call_recall(*queries):
    return "\n".join(f'/call recall {{"query": "{query}"}}\n/say Next.' for query in queries)


def test_a_loop_gets_a_nudge_and_the_run_can_still_answer(client):
    prompt = '/repeat 3\n/call recall {"query": "x"}\n/say I change course.'
    result = client.run_agent(system_prompt=SYSTEM, prompt=prompt, tools=RECALL)
    assert of_kind(result.events, "loop_detected") == [{"consecutiveCount": 3, "hardCutoff": False, "tools": ["recall"]}]
    assert result.text == "I change course."


def test_a_continued_loop_ends_with_a_final_answer(client):
    prompt = '/repeat 20\n/call recall {"query": "x"}'
    result = client.run_agent(system_prompt=SYSTEM, prompt=prompt, tools=RECALL)
    loops = of_kind(result.events, "loop_detected")
    assert [(loop["consecutiveCount"], loop["hardCutoff"]) for loop in loops] == [(3, False), (6, True)]
    assert result.text and "toolCalls" not in of_kind(result.events, "assistant_message")[-1]


def test_the_caller_sets_the_thresholds(client):
    prompt = '/repeat 20\n/call recall {"query": "x"}'
    thresholds = {"consecutiveThreshold": 2, "hardCutoffThreshold": 4}
    result = client.run_agent(system_prompt=SYSTEM, prompt=prompt, tools=RECALL, loop_detection=thresholds)
    assert [loop["consecutiveCount"] for loop in of_kind(result.events, "loop_detected")] == [2, 4]


def test_without_loop_detection_the_run_uses_all_tool_turns(client):
    prompt = '/repeat 20\n/call recall {"query": "x"}'
    with pytest.raises(MantyxRunError) as error:
        client.run_agent(
            system_prompt=SYSTEM,
            prompt=prompt,
            tools=RECALL,
            loop_detection=False,
            tool_budgets={},
            budgets={"maxToolTurns": 7},
        )
    assert error.value.subtype == "error_max_tool_turns"


def test_a_call_past_its_budget_is_intercepted(client):
    budgets = {"recall": {"maxCalls": 1}}
    result = client.run_agent(
        system_prompt=SYSTEM, prompt=call_recall("a", "b"), tools=RECALL, tool_budgets=budgets
    )
    assert of_kind(result.events, "tool_budget_exceeded") == [{"tool": "recall", "maxCalls": 1, "callIndex": 2}]
    assert len(of_kind(result.events, "tool_result")) == 2


def test_a_budget_of_zero_keeps_a_local_tool_from_running(client):
    calls = []
    tool = define_local_tool(name="pay", execute=lambda args: calls.append(args) or "paid")
    result = client.run_agent(
        system_prompt=SYSTEM, prompt="/call pay {}\n/say Not paid.", tools=[tool], tool_budgets={"pay": {"maxCalls": 0}}
    )
    assert calls == [] and result.text == "Not paid."
    assert of_kind(result.events, "tool_budget_exceeded") == [{"tool": "pay", "maxCalls": 0, "callIndex": 1}]


def test_an_empty_object_clears_the_default_budgets(client):
    prompt = call_recall("a", "b", "c", "d", "e")
    result = client.run_agent(system_prompt=SYSTEM, prompt=prompt, tools=RECALL)
    assert of_kind(result.events, "tool_budget_exceeded") == [{"tool": "recall", "maxCalls": 4, "callIndex": 5}]
    result = client.run_agent(system_prompt=SYSTEM, prompt=prompt, tools=RECALL, tool_budgets={})
    assert of_kind(result.events, "tool_budget_exceeded") == []


def test_the_server_validates_unknown_guards(client):
    with pytest.raises(Exception) as error:
        client.run_agent(system_prompt=SYSTEM, prompt="Hello", budgets={"maxToolTurns": 101})
    assert getattr(error.value, "status", None) == 400
