import { type ChildProcess, spawn } from "node:child_process";
import { type Agent, request } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { sign } from "../../src/signing/index.ts";

/** The command within a folder of the package. */
const CLI = "dist/sandbox/cli.js";

const cli = fileURLToPath(new URL(CLI, rootOf(import.meta.url)));

/** The root of the checkout, from a test file or from a bundle beside node_modules. */
function rootOf(url: string): string {
  return url.includes("/node_modules/") ? `${url.split("/node_modules/")[0]}/` : `${url.split("/test/")[0]}/`;
}

export const KEY = "sandbox-key";
export const SECRET = "sandbox-secret";

/** A reply: status and parsed body. */
export type Reply = Readonly<{ status: number; body: Record<string, unknown> & { code?: number } }>;

/** A sandbox in a separate process. */
export type SandboxProcess = {
  readonly url: string;
  readonly wsUrl: string;
  readonly controlUrl: string;
  readonly process: ChildProcess;
  /** Resolves with the signal or exit code when the process has ended. */
  readonly ended: Promise<string | number>;
  control<T = Record<string, unknown>>(method: "GET" | "POST", path: string, body?: unknown): Promise<T>;
  /** A signed request; parameters of POST go as a JSON body, of GET and DELETE as a query. */
  signed(
    method: "GET" | "POST" | "DELETE",
    path: string,
    parameters: Readonly<Record<string, string | number | boolean>>,
  ): Promise<Reply>;
  kill(): Promise<void>;
};

type Addresses = Pick<SandboxProcess, "url" | "wsUrl" | "controlUrl">;

/**
 * Who signs requests, from which address of the loopback they come, and which connections they use; without an agent, each
 * request has one of its own.
 */
export type SandboxClient = Readonly<{
  apiKey: string;
  secret: string;
  localAddress?: string;
  agent?: Agent;
}>;

let nonces = 0;

/** A sandbox that is opening, or was ended while it did. */
export type OpeningSandbox = Pick<SandboxProcess, "ended" | "kill"> &
  Pick<CommandProcess, "answer"> &
  Readonly<{
    /** Resolves when the sandbox is ready; rejects with its output if it ends before. */
    ready: Promise<SandboxProcess>;
  }>;

/** Starts a sandbox and resolves when it is ready; rejects with its output otherwise. */
export const startSandboxProcess = (env: Readonly<Record<string, string>>): Promise<SandboxProcess> =>
  openSandboxProcess(env).ready;

/** A process of the package's command. */
export type CommandProcess = Readonly<{
  process: ChildProcess;
  /** Resolves with the signal or exit code when the process has ended. */
  ended: Promise<string | number>;
  kill: () => Promise<void>;
  /** Resolves to its first line, which says that it is ready; rejects with its output if it ends before. */
  ready: Promise<string>;
  /** Returns what it has written on standard error last. */
  answer: () => string;
}>;

/** Most characters of standard error that are kept. */
const MOST_SAID = 20_000;

/**
 * Starts a command such as `sandbox` with nothing but the given environment, of this checkout or of the package in another
 * folder.
 */
export function startCommand(
  command: string,
  env: Readonly<Record<string, string>>,
  folder?: string,
): CommandProcess {
  const child = spawn(process.execPath, [folder === undefined ? cli : join(folder, CLI), command], {
    env: { PATH: process.env["PATH"] ?? "", LOG: "json", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => {
    errors = (errors + chunk.toString()).slice(-MOST_SAID);
  });
  const ended = new Promise<string | number>((resolve) =>
    child.once("exit", (code, signal) => resolve(signal ?? code ?? 0)),
  );
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await ended;
  };
  const lines = createInterface({ input: child.stdout });
  const ready = new Promise<string>((resolve, reject) => {
    lines.once("line", resolve);
    void ended.then((how) => reject(new Error(`the ${command} ended with ${how}: ${errors}`)));
  });
  // A caller that kills it while it opens does not wait for it.
  ready.catch(() => undefined);
  return { process: child, ended, kill, ready, answer: () => errors };
}

/** Starts a sandbox, of this checkout or of the package in another folder, and does not wait for it. */
export function openSandboxProcess(env: Readonly<Record<string, string>>, folder?: string): OpeningSandbox {
  const settings = {
    FRONT_THREADS: process.env["FRONT_THREADS"] ?? "0",
    PORT: "auto",
    CONTROL_PORT: "auto",
    RATE_LIMITS: "off",
    SANDBOX_API_KEY: KEY,
    SANDBOX_API_SECRET: SECRET,
    ...env,
  };
  const started = startCommand("sandbox", settings, folder);
  const ready = started.ready.then((line) => processAt(JSON.parse(line) as Addresses, started));
  ready.catch(() => undefined);
  return { ready, ended: started.ended, kill: started.kill, answer: started.answer };
}

/** A sandbox process at addresses, such as those of a front before it. */
export function processAt(
  ready: Addresses,
  running: Pick<SandboxProcess, "process" | "ended" | "kill">,
): SandboxProcess {
  return {
    ...ready,
    ...running,
    async control<T>(method: "GET" | "POST", path: string, body?: unknown): Promise<T> {
      const reply = await send(`${ready.controlUrl}/control/${path}`, {
        method,
        json: body === undefined ? "" : JSON.stringify(body),
      });
      if (reply.status !== 200)
        throw new Error(`control ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
      return reply.body as T;
    },
    signed: signedBy(ready, { apiKey: KEY, secret: SECRET }),
  };
}

/** Returns the function that sends signed requests of a client to a sandbox. */
export function signedBy(
  { url, controlUrl }: Addresses,
  { apiKey, secret, ...from }: SandboxClient,
): SandboxProcess["signed"] {
  return async (method, path, parameters) => {
    const fields =
      path.startsWith("/api/v2") && method === "GET"
        ? { ...parameters, timestamp: await now(controlUrl) }
        : parameters;
    const query =
      method === "POST"
        ? `nonce=${++nonces}`
        : encode(path.startsWith("/api/v3") || method === "DELETE" ? { ...fields, nonce: ++nonces } : fields);
    const json = method === "POST" ? JSON.stringify(fields) : "";
    const signature = sign({ secret, payload: query + json });
    const headers = { "X-MBX-APIKEY": apiKey, signature };
    return await send(`${url}${path}?${query}`, { method, json, headers, ...from });
  };
}

async function now(controlUrl: string): Promise<number> {
  const { body } = await send(`${controlUrl}/control/clock`, { method: "GET", json: "" });
  return body["now"] as number;
}

const encode = (fields: Readonly<Record<string, string | number | boolean>>): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join("&");

type RequestText = Readonly<{ method: string; json: string; headers?: Readonly<Record<string, string>> }> &
  Pick<SandboxClient, "localAddress" | "agent">;

/** One request; rejects if no complete answer arrived. */
function send(url: string, { method, json, headers = {}, ...from }: RequestText): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const body =
      json === ""
        ? {}
        : { "content-type": "application/json", "content-length": String(Buffer.byteLength(json)) };
    const options = { agent: false as const, ...from, method, headers: { ...body, ...headers } };
    const outgoing = request(url, options, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        if (!response.complete) return reject(new Error("the answer was cut off"));
        const text = Buffer.concat(chunks).toString("utf8");
        try {
          resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) as Reply["body"] });
        } catch (cause) {
          // The server of a process that ends may refuse a connection without a body.
          reject(
            new Error(`the answer ${response.statusCode} is not JSON: ${text.slice(0, 200)}`, { cause }),
          );
        }
      });
    });
    outgoing.on("error", reject);
    outgoing.end(json);
  });
}
