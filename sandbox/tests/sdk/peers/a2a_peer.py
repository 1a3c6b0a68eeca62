"""An A2A agent that echoes each message."""

from a2a.server.agent_execution import AgentExecutor
from a2a.server.apps import A2AStarletteApplication
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.tasks import InMemoryTaskStore
from a2a.types import AgentCapabilities, AgentCard, AgentSkill
from a2a.utils import new_agent_text_message

from listening import bind, serve


class Echo(AgentExecutor):
    async def execute(self, context, event_queue):
        await event_queue.enqueue_event(new_agent_text_message(f"HR says: {context.get_user_input()}"))

    async def cancel(self, context, event_queue):
        raise NotImplementedError("nothing here takes long enough")


listener, url = bind()
skill = AgentSkill(id="leave", name="Leave", description="Answers questions about leave.", tags=["hr"])
card = AgentCard(
    name="Acme HR",
    description="Knows the leave policy.",
    url=f"{url}/",
    version="1.0.0",
    capabilities=AgentCapabilities(),
    default_input_modes=["text/plain"],
    default_output_modes=["text/plain"],
    skills=[skill],
)
handler = DefaultRequestHandler(agent_executor=Echo(), task_store=InMemoryTaskStore())
serve(A2AStarletteApplication(agent_card=card, http_handler=handler).build(), listener, url)
