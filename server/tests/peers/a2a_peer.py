"""An A2A agent made with the official SDK, on a free port. `v0.3` as its argument gives it a card of that version."""

import asyncio
import sys

import listen
from a2a.helpers.proto_helpers import new_task_from_user_message, new_text_message, new_text_part
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route


class Weather(AgentExecutor):
    """Answers at once; with "slowly" as a task that takes a moment, with "fail" as one that fails."""

    async def execute(self, context, event_queue):
        text = context.get_user_input()
        if "slowly" not in text and "fail" not in text:
            await event_queue.enqueue_event(new_text_message(f"Sunny: {text}"))
            return
        task = new_task_from_user_message(context.message)
        await event_queue.enqueue_event(task)
        updater = TaskUpdater(event_queue, task.id, task.context_id)
        await updater.start_work()
        if "fail" in text:
            await updater.failed(updater.new_agent_message([new_text_part("No satellite.")]))
            return
        await asyncio.sleep(0.2)
        await updater.add_artifact([new_text_part(f"Cloudy: {text}")])
        await updater.complete()

    async def cancel(self, context, event_queue):
        raise NotImplementedError


if __name__ == "__main__":
    listener, port = listen.bind()
    url = f"http://127.0.0.1:{port}/rpc"
    skill = AgentSkill(id="forecast", name="Forecast", description="Says how the weather is.", tags=["weather"])
    card = AgentCard(
        name="Weather",
        description="Knows the weather.",
        version="1.0.0",
        capabilities=AgentCapabilities(),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        skills=[skill],
        supported_interfaces=[AgentInterface(url=url, protocol_binding="JSONRPC", protocol_version="1.0")],
    )
    handler = DefaultRequestHandler(agent_executor=Weather(), task_store=InMemoryTaskStore(), agent_card=card)
    routes = create_jsonrpc_routes(handler, "/rpc", enable_v0_3_compat=True)
    if sys.argv[1:] == ["v0.3"]:
        old = {"protocolVersion": "0.3.0", "name": "Weather", "url": url, "preferredTransport": "JSONRPC", "skills": []}

        async def old_card(_):
            return JSONResponse(old)

        routes.append(Route("/.well-known/agent.json", old_card))
    else:
        routes += create_agent_card_routes(card)
    listen.serve(Starlette(routes=routes), listener)
