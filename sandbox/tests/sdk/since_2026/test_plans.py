"""Tests of task plans."""

import json

from mantyx import mantyx_tool, task_plan_from_event_data

SYSTEM = "You help."


def update(*steps):
    plan = {"brief": "Compare revenue", "steps": [{"title": title, "status": status} for title, status in steps]}
    return f"/call update_task_plan {json.dumps(plan)}"


def plans(events):
    return [task_plan_from_event_data(event.data) for event in events if event.type == "task_plan"]


def statuses(plan):
    return [(step["title"], step["status"]) for step in plan["steps"]]


def test_an_agent_keeps_its_own_plan(client):
    prompt = "\n".join(
        [
            update(("Pull", "in_progress"), ("Compare", "pending")),
            "/say Next.",
            update(("Pull", "done"), ("Compare", "in_progress")),
            "/say Done.",
        ]
    )
    result = client.run_agent(system_prompt=SYSTEM, prompt=prompt, plan="auto")
    seen = plans(result.events)
    assert statuses(seen[0]) == [("Pull", "in_progress"), ("Compare", "pending")]
    assert statuses(seen[-1]) == [("Pull", "done"), ("Compare", "in_progress")]
    assert {plan["planId"] for plan in seen} == {seen[0]["planId"]}
    assert [plan["revision"] for plan in seen] == sorted(plan["revision"] for plan in seen)
    assert result.text == "Done." and result.plan is None


def test_a_required_plan_comes_before_tools(client):
    prompt = f'/call calculator {{"expression":"1+1"}}\n/say First.\n{update(("Add", "done"))}\n/say Done.'
    result = client.run_agent(
        system_prompt=SYSTEM, prompt=prompt, plan="required", tools=[mantyx_tool("tool_calculator")]
    )
    refused = next(event.data for event in result.events if event.type == "tool_result")
    assert refused["name"] == "calculator" and "plan" in refused["result"]
    assert result.text == "Done."


def test_steps_of_the_caller_apply_from_the_start(client):
    steps = {"brief": "Migrate", "steps": ["Snapshot", "Apply", "Verify"]}
    result = client.run_agent(system_prompt=SYSTEM, prompt="/say Done.", plan=steps)
    assert result.events[0].type == "task_plan"
    assert [step["title"] for step in plans(result.events)[0]["steps"]] == steps["steps"]


def test_a_run_that_only_plans_runs_no_agent(client):
    result = client.run_plan(
        system_prompt=SYSTEM, prompt="/call clock {}", steps=["Snapshot", "Apply"], brief="Migrate"
    )
    assert statuses(result.plan) == [("Snapshot", "pending"), ("Apply", "pending")]
    assert (result.plan["brief"], result.turns, result.tokens.input_tokens) == ("Migrate", 0, 0)
    assert not any(event.type in ("assistant_message", "tool_result") for event in result.events)


def test_a_planner_writes_the_steps_that_the_caller_does_not(client, with_async_client):
    prompt = '/json {"brief": "B", "steps": ["one", "two"]}'
    assert [step["title"] for step in client.run_plan(system_prompt=SYSTEM, prompt=prompt).plan["steps"]] == [
        "one",
        "two",
    ]

    async def run(async_client):
        return await async_client.run_plan(system_prompt=SYSTEM, prompt=prompt)

    # The asynchronous client does not read the plan of the result, but its event has it.
    assert [step["title"] for step in plans(with_async_client(run).events)[0]["steps"]] == ["one", "two"]


def test_planning_does_not_add_a_message_to_the_session(client):
    session = client.create_session(system_prompt=SYSTEM)
    assert session.run_plan("Migrate", steps=["Snapshot", "Apply"]).plan["steps"]
    assert session.history() == []
