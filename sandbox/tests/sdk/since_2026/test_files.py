"""Tests of files of messages and tool results."""

import base64

import pytest
from mantyx import MantyxError, ToolResult, ToolResultFile, define_local_tool

SYSTEM = "You help."


def inline(filename, data):
    return {
        "type": "input_file",
        "mimeType": "text/plain",
        "filename": filename,
        "data": base64.b64encode(data).decode(),
    }


def test_attachments_are_accepted_and_stored_without_their_bytes(client):
    session = client.create_session(system_prompt=SYSTEM)
    link = {"type": "input_file_url", "url": "https://example.com/report.pdf", "mimeType": "application/pdf"}
    assert session.send("/say Read.", attachments=[inline("notes.txt", b"hello"), link]).text == "Read."
    kept = [{"type": "input_file", "mimeType": "text/plain", "filename": "notes.txt", "size": 5}, link]
    assert session.history()[0]["attachments"] == kept
    assert session.events()[0].user_message()["attachments"] == kept


def test_attachments_go_with_a_single_run_too(client):
    result = client.run_agent(system_prompt=SYSTEM, prompt="/say Read.", attachments=[inline("notes.txt", b"hello")])
    assert result.text == "Read."


@pytest.mark.parametrize(
    "attachments",
    [
        [inline(f"{i}.txt", b"x") for i in range(21)],
        [inline("large.bin", bytes(5 * 1024 * 1024 + 1))],
        [{"type": "input_file_url", "url": "http://example.com/report.pdf"}],
    ],
    ids=["too many", "too large", "not https"],
)
def test_attachments_past_the_limits_are_refused(client, attachments):
    with pytest.raises(MantyxError) as refused:
        client.run_agent(system_prompt=SYSTEM, prompt="/say Read.", attachments=attachments)
    assert (refused.value.status, refused.value.code) == (400, "invalid_request")


def test_a_tool_hands_files_back_with_its_text(client):
    chart = ToolResultFile(filename="chart.png", mime_type="image/png", data=base64.b64encode(b"png").decode())
    tool = define_local_tool(name="draw", execute=lambda _: ToolResult(result="drawn", files=[chart]))
    result = client.run_agent(system_prompt=SYSTEM, prompt="/call draw {}\n/say Done.", tools=[tool])
    echo = next(event.data for event in result.events if event.type == "local_tool_result_in")
    assert echo["output"] == "drawn"
    assert echo["files"] == [{"filename": "chart.png", "mimeType": "image/png", "sizeBytes": 3}]
