// Starting runs at the sandbox, as a program that uses MANTYX would.

import { expect, type APIRequestContext } from "@playwright/test";

const key = { Authorization: "Bearer mantyx_sandbox_demo" };

function runs(): string {
  return `${process.env.RUNLENS_SANDBOX_URL}/api/v1/workspaces/demo/agent-runs`;
}

/** Starts a run of `sandbox/script` and answers its id. */
export async function startRun(request: APIRequestContext, script: string, more: object = {}): Promise<string> {
  const data = { name: "browser-test", systemPrompt: "You help.", modelId: "sandbox/script", prompt: script, ...more };
  const answer = await request.post(runs(), { headers: key, data });
  expect(answer.ok(), await answer.text()).toBe(true);
  return (await answer.json()).runId;
}

/** Starts a run and waits for its end: the stream closes after the terminal event. */
export async function finishedRun(request: APIRequestContext, script: string, more: object = {}): Promise<string> {
  const id = await startRun(request, script, more);
  await request.get(`${runs()}/${id}/stream`, { headers: key });
  return id;
}

/** Starts a session and answers its id. */
export async function startSession(request: APIRequestContext, more: object = {}): Promise<string> {
  const data = { systemPrompt: "You help.", modelId: "sandbox/script", ...more };
  const answer = await request.post(runs().replace("agent-runs", "agent-sessions"), { headers: key, data });
  expect(answer.ok(), await answer.text()).toBe(true);
  return (await answer.json()).sessionId;
}

/** Says something in a session, waits for the end of its run, and answers the run's id. */
export async function say(request: APIRequestContext, session: string, prompt: string, more: object = {}): Promise<string> {
  const url = `${runs().replace("agent-runs", "agent-sessions")}/${session}/messages`;
  const answer = await request.post(url, { headers: key, data: { prompt, ...more } });
  expect(answer.ok(), await answer.text()).toBe(true);
  const { runId } = await answer.json();
  await request.get(`${runs()}/${runId}/stream`, { headers: key });
  return runId;
}

/** Answers a local tool call. */
export async function answerTool(request: APIRequestContext, run: string, toolUseId: string, result: string) {
  const answer = await request.post(`${runs()}/${run}/tool-results`, { headers: key, data: { toolUseId, result } });
  expect(answer.ok(), await answer.text()).toBe(true);
}

/** The id of the first call that waits for an answer. The stream stays open meanwhile, so it is read only that far. */
export async function pendingCall(run: string): Promise<string> {
  const response = await fetch(`${runs()}/${run}/stream`, { headers: key });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ""; ; ) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`no call in the log of ${run}`);
    text += value;
    const id = text.match(/"type":"local_tool_call".*?"toolUseId":"([^"]+)"/)?.[1];
    if (id === undefined) continue;
    await reader.cancel();
    return id;
  }
}

/** Cancels a run and waits for its end. */
export async function cancelRun(request: APIRequestContext, run: string) {
  const answer = await request.post(`${runs()}/${run}/cancel`, { headers: key });
  expect(answer.ok(), await answer.text()).toBe(true);
  await request.get(`${runs()}/${run}/stream`, { headers: key });
}
