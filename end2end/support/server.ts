// Starts one server for all tests, on free ports and a fresh data directory, and stops it at the end.

import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { stdioCommand } from "./peers.ts";

const PATIENCE_MS = 30_000;
const target = path.resolve(import.meta.dirname, "../../target");
const binary = process.env.RUNLENS_BIN ?? path.join(target, "debug/runlens");
const site = process.env.RUNLENS_TEST_SITE ?? path.join(target, "site");

/** The tests find the server by RUNLENS_URL; if that is already set, another process manages the server. */
export default async function start(): Promise<() => Promise<void>> {
  if (process.env.RUNLENS_URL) return async () => {};

  const dir = mkdtempSync(path.join(tmpdir(), "runlens-end2end-"));
  const logPath = path.join(dir, "log");
  const log = openSync(logPath, "w");
  const [port, sandboxPort] = await freePorts(2);
  const server = spawn(binary, [], {
    env: {
      ...withoutSettings(process.env),
      RUNLENS_ADDR: `127.0.0.1:${port}`,
      RUNLENS_SANDBOX_ADDR: `127.0.0.1:${sandboxPort}`,
      RUNLENS_DATA_DIR: path.join(dir, "data"),
      // The tests have MCP servers and agents of their own.
      RUNLENS_OUTBOUND_ALLOW: "127.0.0.1",
      RUNLENS_MCP_COMMANDS: stdioCommand,
      // Read by debug builds only; the optimised binary contains its site.
      RUNLENS_TEST_SITE: site,
    },
    stdio: ["ignore", log, log],
  });
  closeSync(log);
  const ended = new Promise<void>((resolve) => server.once("close", () => resolve()));
  server.once("error", () => {});
  process.once("exit", () => server.kill("SIGKILL"));

  const stop = async () => {
    server.kill("SIGTERM");
    const forced = setTimeout(() => server.kill("SIGKILL"), 10_000);
    if (server.pid !== undefined) await ended;
    clearTimeout(forced);
    rmSync(dir, { recursive: true, force: true });
  };

  process.env.RUNLENS_URL = `http://127.0.0.1:${port}`;
  process.env.RUNLENS_SANDBOX_URL = `http://127.0.0.1:${sandboxPort}`;
  if (!(await isReady(server, `${process.env.RUNLENS_URL}/readyz`))) {
    const said = readFileSync(logPath, "utf8");
    await stop();
    throw new Error(`${binary} did not become ready; it said:\n${said}`);
  }
  await demonstrated();
  return stop;
}

/** The sandbox runs its demonstration in the background; the tests look at it whole. */
async function demonstrated(): Promise<void> {
  const headers = { Authorization: "Bearer mantyx_sandbox_demo" };
  const count = async (filter: string) => {
    const url = `${process.env.RUNLENS_SANDBOX_URL}/api/v1/workspaces/demo/agent-runs?limit=1&includeTotal=1&${filter}`;
    return (await (await fetch(url, { headers })).json()).total as number;
  };
  const deadline = Date.now() + PATIENCE_MS;
  while ((await count("")) < 80 || (await count("status=running")) > 0) {
    if (Date.now() > deadline) throw new Error("the sandbox's demonstration did not end");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** The server under test is configured here alone. */
function withoutSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const foreign = /^(RUNLENS_|MANTYX_|OPENAI_|DATABASE_URL$)/;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !foreign.test(name)));
}

async function isReady(server: ChildProcess, url: string): Promise<boolean> {
  const deadline = Date.now() + PATIENCE_MS;
  while (Date.now() < deadline && server.pid !== undefined && server.exitCode === null) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}

/** All are taken before any is given back, so that no two are the same. */
async function freePorts(count: number): Promise<number[]> {
  const listeners = await Promise.all(
    Array.from({ length: count }, async () => {
      const listener = createServer();
      await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
      return listener;
    }),
  );
  const ports = listeners.map((listener) => (listener.address() as { port: number }).port);
  await Promise.all(listeners.map((listener) => new Promise((resolve) => listener.close(resolve))));
  return ports;
}
