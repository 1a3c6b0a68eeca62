// Runs and sessions that have a hostile text in each of their fields.

import { type APIRequestContext, expect } from "@playwright/test";
import type { Hostile } from "./hostile.ts";
import { finishedRun, say, startSession } from "./sandbox.ts";

const key = { Authorization: "Bearer mantyx_sandbox_demo" };

/** Imports a run. MANTYX would refuse most of this; a file may contain it. */
export async function importHostile(request: APIRequestContext, { name, text, line }: Hostile): Promise<string> {
  const tool = (id: string) => ({ id, name: line, input: { [line]: text, nested: [text] } });
  const tokens = { inputTokens: 1, cachedTokens: 0, reasoningTokens: 0, outputTokens: 1 };
  const run = {
    name: line, agentId: line, model: line, inputPreview: text, createdAtMs: Date.now(), tokens,
    metadata: { hostile: name, [line.slice(0, 60)]: line.slice(0, 500), customer: line.slice(0, 500) },
  };
  const tools = [{ kind: "local", name: line, description: text, parameters: { type: "object", properties: { [line]: { description: text } } } }];
  const spec = { name: line, systemPrompt: text, prompt: text, modelId: line, tools, metadata: { [line]: line } };
  const repeated = { type: "loop_nudged", tool: line, count: 3, message: text };
  const events: [string, object][] = [
    ["thinking_delta", { text }],
    ["assistant_delta", { text }],
    ["assistant_message", { text, thinking: text, turn: 0, model: line, toolCalls: [tool("c1"), tool(line), tool("c3")] }],
    ["tool_result", { toolUseId: "c1", name: line, result: text }],
    ["tool_result", { toolUseId: line, name: line, ok: false, error: text, summary: line }],
    ["tool_budget_exceeded", { tool: line, maxCalls: 1, callIndex: 2 }],
    ["model_fallback", { from: line, to: line, reason: text }],
    [line, { text, [line]: line, repeated }],
    ["assistant_message", { text, turn: 1, toolCalls: [tool("c4")] }],
    ["tool_result", { toolUseId: "c4", name: line, result: text }],
    ["assistant_message", { text, turn: 2, toolCalls: [tool("c5")] }],
    ["tool_result", { toolUseId: "c5", name: line, result: text }],
    ["error", { error: text, code: line, errorClass: line, partialText: text, retryable: false }],
  ];
  const lines = events.map(([type, data], i) => JSON.stringify({ seq: i + 1, type, data }));
  const body = [JSON.stringify({ runlens: 1, run, spec }), ...lines, `unreadable ${line}`].join("\n");
  const answer = await request.post(`/api/import?name=${encodeURIComponent(line.slice(0, 200))}`, {
    headers: { ...key, "Content-Type": "application/x-ndjson" },
    data: body,
  });
  expect(answer.ok(), await answer.text()).toBe(true);
  return (await answer.json()).runId;
}

/** As much of a text as fits where MANTYX limits the length. */
const short = (text: string) => text.slice(0, 250);

/** What the scripted model writes. It may not contain line breaks. */
export const said = ({ line }: Hostile) => `/say ${line}`;

export async function runHostile(request: APIRequestContext, hostile: Hostile): Promise<string> {
  const metadata = { hostile: hostile.name, note: short(hostile.line) };
  return finishedRun(request, said(hostile), { name: short(hostile.line), metadata });
}

export async function talkHostile(request: APIRequestContext, hostile: Hostile): Promise<string> {
  const metadata = { talk: hostile.name, note: short(hostile.line) };
  const session = await startSession(request, { name: short(hostile.line), systemPrompt: hostile.text, metadata });
  await say(request, session, said(hostile), { metadata: { note: short(hostile.text) } });
  return session;
}
