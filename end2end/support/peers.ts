// Real MCP servers and A2A agents: those of the server's own tests, in the same Python environment.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";

const root = path.resolve(import.meta.dirname, "../..");
const scripts = path.join(root, "server/tests/peers");
const environment = path.join(root, "target/tmp/python-peers");

/** Starts an MCP server that speaks over stdio. The operator of the tests' server allows it. */
export const stdioCommand = `${path.join(environment, "bin/python")} ${path.join(scripts, "mcp_server.py")} stdio`;

export interface Peer {
  url: string;
  stop: () => void;
}

/** Starts one, on a port of its own choice. */
export async function startPeer(script: "mcp_server.py" | "a2a_peer.py"): Promise<Peer> {
  const peer = spawn(python(), [path.join(scripts, script)], { stdio: ["ignore", "pipe", "inherit"] });
  process.once("exit", () => peer.kill("SIGKILL"));
  const port = await firstLine(peer, script);
  return { url: `http://127.0.0.1:${port}`, stop: () => peer.kill("SIGKILL") };
}

async function firstLine(peer: ChildProcess, script: string): Promise<string> {
  for await (const line of createInterface({ input: peer.stdout! })) return line;
  throw new Error(`${script} did not start`);
}

/** The interpreter of an environment with the packages of `requirements.txt`, rebuilt when they change. */
function python(): string {
  const wanted = readFileSync(path.join(scripts, "requirements.txt"), "utf8");
  const stamp = path.join(environment, "installed-requirements.txt");
  const interpreter = path.join(environment, "bin/python");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return interpreter;
  execFileSync("python3", ["-m", "venv", "--clear", environment]);
  const install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"];
  execFileSync(interpreter, [...install, path.join(scripts, "requirements.txt")]);
  writeFileSync(stamp, wanted);
  return interpreter;
}
