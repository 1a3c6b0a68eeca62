"""Tests of the flags of local tools."""

import threading

from mantyx import define_local_tool

SYSTEM = "You help."


def test_read_only_tools_of_one_turn_run_concurrently(client):
    # Passes the barrier only if both run at the same time.
    both = threading.Barrier(2)
    tools = [
        define_local_tool(name=name, execute=lambda _: both.wait(30) and "" or "met", read_only=True)
        for name in ("a", "b")
    ]
    result = client.run_agent(system_prompt=SYSTEM, prompt="/call a {}\n/call b {}\n/say Done.", tools=tools)
    outputs = [event.data.get("output") for event in result.events if event.type == "local_tool_result_in"]
    assert outputs == ["met", "met"]


def test_other_tools_run_one_after_another(client):
    running, overlaps = [], []

    def work(_):
        overlaps.append(len(running))
        running.append(1)
        running.pop()
        return "done"

    tools = [define_local_tool(name=name, execute=work) for name in ("a", "b")]
    result = client.run_agent(system_prompt=SYSTEM, prompt="/call a {}\n/call b {}\n/say Done.", tools=tools)
    order = [event.type for event in result.events if event.type.startswith("local_tool")]
    assert order == ["local_tool_call", "local_tool_result_in"] * 2
    assert overlaps == [0, 0]


def test_later_messages_get_a_retained_result(client):
    def tokens_of_second_message(retain):
        tool = define_local_tool(name="mint", execute=lambda _: "word " * 800, retain=retain)
        session = client.create_session(system_prompt=SYSTEM, tools=[tool])
        session.send("/call mint {}\n/say Minted.")
        return session.send("/say Which one?").tokens.input_tokens

    # About a thousand tokens of result, in a conversation of a few dozen otherwise.
    assert tokens_of_second_message(True) > tokens_of_second_message(False) + 500
