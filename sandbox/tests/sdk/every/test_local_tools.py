"""Tests of local tools."""

import json
import threading

from mantyx import define_local_tool
from pydantic import BaseModel

SYSTEM = "You help."


class Payment(BaseModel):
    amount: float
    currency: str = "EUR"


def echoes(events):
    return [event.data for event in events if event.type == "local_tool_result_in"]


def test_arguments_arrive_as_the_declared_model(client):
    seen = []

    def pay(payment):
        seen.append(payment)
        return f"paid {payment.amount:.2f} {payment.currency}"

    tool = define_local_tool(name="pay", description="Pays.", parameters=Payment, execute=pay)
    result = client.run_agent(system_prompt=SYSTEM, prompt='/call pay {"amount": 12.5}', tools=[tool])
    assert seen == [Payment(amount=12.5)]
    assert "paid 12.50 EUR" in result.text
    assert echoes(result.events)[0]["output"] == "paid 12.50 EUR"


def test_arguments_that_do_not_fit_never_reach_the_handler(client):
    seen = []
    tool = define_local_tool(name="pay", parameters=Payment, execute=seen.append)
    result = client.run_agent(system_prompt=SYSTEM, prompt='/call pay {"amount": "much"}\n/say I see.', tools=[tool])
    assert seen == [] and result.text == "I see."
    results = [event.data["result"] for event in result.events if event.type == "tool_result"]
    assert len(results) == 1 and "tool_input_invalid" in results[0]


def test_results_that_are_not_text_are_sent_as_json(client):
    tool = define_local_tool(name="look_up", execute=lambda args: {"id": args["id"], "open": True})
    result = client.run_agent(system_prompt=SYSTEM, prompt='/call look_up {"id": 7}\n/say Done.', tools=[tool])
    assert json.loads(echoes(result.events)[0]["output"]) == {"id": 7, "open": True}


def test_the_model_gets_the_error_of_a_handler_and_the_run_continues(client):
    def fail(_):
        raise RuntimeError("no such order")

    tool = define_local_tool(name="look_up", execute=fail)
    result = client.run_agent(system_prompt=SYSTEM, prompt="/call look_up {}\n/say I could not find it.", tools=[tool])
    assert "no such order" in echoes(result.events)[0]["error"]
    assert result.text == "I could not find it."


def test_several_calls_of_one_turn_are_all_answered(client):
    tools = [define_local_tool(name=name, execute=lambda args: f"for {args['n']}") for name in ("a", "b", "c")]
    prompt = '/call a {"n": 1}\n/call b {"n": 2}\n/call c {"n": 3}\n/say Done.'
    result = client.run_agent(system_prompt=SYSTEM, prompt=prompt, tools=tools)
    calls = [event.data for event in result.events if event.type == "local_tool_call"]
    assert [(call["name"], call["kind"]) for call in calls] == [("a", "local"), ("b", "local"), ("c", "local")]
    answers = {echo["toolUseId"]: echo["output"] for echo in echoes(result.events)}
    assert [answers[call["toolUseId"]] for call in calls] == ["for 1", "for 2", "for 3"]
    assert result.text == "Done."


def test_the_asynchronous_client_awaits_its_handlers(with_async_client):
    async def look_up(args):
        return f"order {args['id']}"

    async def run(client):
        tool = define_local_tool(name="look_up", execute=look_up)
        return await client.run_agent(system_prompt=SYSTEM, prompt='/call look_up {"id": 7}', tools=[tool])

    assert "order 7" in with_async_client(run).text


def test_two_runs_at_once_get_their_own_answers(client):
    results = {}

    def run(name):
        tool = define_local_tool(name="who", execute=lambda _: name)
        results[name] = client.run_agent(system_prompt=SYSTEM, prompt="/call who {}", tools=[tool]).text

    threads = [threading.Thread(target=run, args=(name,)) for name in ("anna", "bruno")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert "anna" in results["anna"] and "bruno" in results["bruno"]
