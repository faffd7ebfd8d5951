import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { formatQuantity } from "../../src/decimal/index.ts";
import type { ChildReport, ChildRequest } from "../../src/model/index.ts";
import type { ChildRow } from "../../src/simulator/index.ts";
import { createCutter } from "../adapters/venue-http/cutter.ts";
import { connect, SECRET } from "../adapters/venue-http/loopback.ts";
import { listening } from "../support/listening.ts";
import { childOf } from "./venue-world.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const program = `${root}node_modules/.cache/venue-process.mjs`;

beforeAll(async () => {
  await build({
    ...{ entryPoints: [`${root}src/sandbox/cli.ts`], outfile: program, bundle: true, logLevel: "warning" },
    ...{ platform: "node", format: "esm", packages: "external" },
    alias: { "#hmac": `${root}src/signing/hmac-node.ts` },
  });
});

type Started = Readonly<{
  port: number;
  controlUrl: string;
  process: ChildProcess;
  kill: () => Promise<void>;
}>;

/** Starts `managed-orders venue`, and resolves when it is ready. */
async function startVenue(env: Readonly<Record<string, string>>): Promise<Started> {
  const child = spawn(process.execPath, [program, "venue"], {
    env: { PORT: "auto", CONTROL_PORT: "auto", LOG: "json", MARKET: "manual", VENUE_SECRET: SECRET, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  for await (const line of createInterface({ input: child.stdout })) {
    const { url, controlUrl } = JSON.parse(line) as { url: string; controlUrl: string };
    const kill = async (): Promise<void> => {
      child.kill("SIGKILL");
      await ended;
    };
    return { port: Number(new URL(url).port), controlUrl, process: child, kill };
  }
  throw new Error("the venue ended before it was ready");
}

/** Starts a command that is refused, and resolves to its exit code and what it says. */
async function refusalOf(
  command: string,
  env: Readonly<Record<string, string>>,
): Promise<readonly [unknown, string]> {
  const given = command === "venue" ? { VENUE_SECRET: SECRET, ...env } : env;
  const child = spawn(process.execPath, [program, command], {
    env: { PORT: "auto", CONTROL_PORT: "auto", LOG: "json", MARKET: "manual", ...given },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let answer = "";
  child.stderr.on("data", (bytes) => {
    answer += String(bytes);
  });
  // One that is not refused says that it is ready.
  child.stdout.once("data", () => child.kill("SIGKILL"));
  return [await new Promise((resolve) => child.once("close", resolve)), answer];
}

async function control<T>({ controlUrl }: Started, path: string, body?: object): Promise<T> {
  const response = await fetch(`${controlUrl}/control/${path}`, {
    method: body === undefined ? "GET" : "POST",
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: { "content-type": "application/json" },
    }),
  });
  const answer = (await response.json()) as T;
  expect(response.status, JSON.stringify(answer)).toBe(200);
  return answer;
}

const quote = (venue: Started): Promise<unknown> =>
  control(venue, "quotes", { symbol: "BTC/USD", bid: "100", ask: "101" });

const CHILDREN = 40;
const KILLS = 1;

describe("managed-orders venue", () => {
  it("I06, I22: killed in the middle of submits, it comes back with all that it acknowledged, and executes no child twice", async () => {
    const folder = mkdtempSync(join(tmpdir(), "venue-process-"));
    const env = { VENUE_RECORD: join(folder, "venue.jsonl") };
    let venue = await startVenue(env);
    onTestFinished(async () => {
      await venue.kill();
      rmSync(folder, { recursive: true });
    });
    await quote(venue);
    const cutter = await createCutter(venue.port);
    const client = await connect(cutter.url);
    onTestFinished(async () => {
      client.close();
      await cutter.close();
    });
    const executed = new Map<string, Map<string, string>>();
    const take = ({ childId, fills }: ChildReport): void => {
      const known = executed.get(childId) ?? new Map<string, string>();
      for (const { executionId, quantity } of fills) known.set(executionId, formatQuantity(quantity));
      executed.set(childId, known);
    };
    client.venue.subscribe(({ report }) => take(report));
    let answers = 0;
    const look = async (child: ChildRequest): Promise<void> => {
      for (;;) {
        const answer = await client.venue.lookup(child).catch(() => undefined);
        if (answer === undefined) await new Promise((resolve) => setImmediate(resolve));
        else return answer !== "not-found" && "childId" in answer ? take(answer) : undefined;
      }
    };
    const run = async (child: ChildRequest): Promise<void> => {
      const limits = { deadlineMs: Date.now() + 60_000, signal: AbortSignal.timeout(20_000) };
      const answer = await client.venue.submit(child, limits).catch(() => undefined);
      if (answer !== undefined) take(answer);
      answers++;
      if (answer === undefined) await look(child);
    };
    const children = Array.from({ length: CHILDREN }, () => childOf({ quantity: "0.01", accountId: 1 }));
    const queue = [...children];
    const worker = async (): Promise<void> => {
      for (let child = queue.shift(); child !== undefined; child = queue.shift()) await run(child);
    };
    const work = Promise.all([worker(), worker(), worker(), worker()]);
    for (let kill = 1; kill <= KILLS; kill++) {
      while (answers < (kill * CHILDREN) / (KILLS + 1)) await new Promise((resolve) => setImmediate(resolve));
      await venue.kill();
      venue = await startVenue(env);
      await quote(venue);
      cutter.setPort(venue.port);
    }
    await work;
    const rows = await control<readonly ChildRow[]>(venue, "children");
    const rowOf = new Map(rows.map((row) => [row.clientOrderId, row]));
    for (const { childId } of children) {
      const row = rowOf.get(childId);
      expect(row?.submissions ?? 0, childId).toBeLessThanOrEqual(1);
      const received = [...(executed.get(childId) ?? new Map<string, string>()).values()];
      expect(received, childId).toEqual(Number(row?.executedQty ?? 0) === 0 ? [] : ["0.01"]);
    }
    const total = [...executed.values()].filter(({ size }) => size > 0).length;
    expect(total).toBeGreaterThan(CHILDREN / 2);
  });

  it("serves quotes, native orders and balances from its control interface, and stops on SIGTERM", async () => {
    const venue = await startVenue({ VENUE_RECORD: "memory:" });
    const client = await connect(`http://127.0.0.1:${venue.port}`);
    onTestFinished(() => client.close());
    const quotes: unknown[] = [];
    client.marketData?.subscribe({
      quote: (answer) => {
        quotes.push(answer.bid);
        return "counted";
      },
      heartbeat: () => undefined,
      print: () => undefined,
    });
    expect(await quote(venue)).toEqual({ accepted: 1, dropped: 0 });
    while (quotes.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(quotes[0]).toBe("100");
    await control(venue, "accounts", { accountId: 7, balances: { USD: "5" } });
    expect(await client.balances?.balances(7)).toEqual([{ asset: "USD", free: "5", locked: "0" }]);
    await control(venue, "faults", { venue: { mode: "reject", count: 1 } });
    const limits = { deadlineMs: Date.now() + 60_000, signal: new AbortController().signal };
    expect(await client.venue.submit(childOf(), limits)).toMatchObject({ state: "rejected" });
    expect(client.instruments?.resolve("BTCUSD")?.symbol).toBe("BTC/USD");
    const code = new Promise((resolve) => venue.process.once("exit", resolve));
    venue.process.kill("SIGTERM");
    expect(await code).toBe(0);
  });

  it("a record that another process has open is one sentence and exit code 2, whoever has it", async () => {
    const folder = mkdtempSync(join(tmpdir(), "venue-process-"));
    const env = { VENUE_RECORD: join(folder, "orders.venue.jsonl") };
    const first = await startVenue(env);
    onTestFinished(async () => {
      await first.kill();
      rmSync(folder, { recursive: true });
    });
    const refused =
      "managed-orders: orders.venue.jsonl is in use by another process: end that process, or choose another path\n";
    const sandbox = { STORE: `sqlite:${join(folder, "orders.db")}` };
    expect(await Promise.all([refusalOf("venue", env), refusalOf("sandbox", sandbox)])).toEqual([
      [2, refused],
      [2, refused],
    ]);
    await control(first, "accounts", { accountId: 7, balances: { USD: "5" } });
    await first.kill();
    const second = await startVenue(env);
    onTestFinished(() => second.kill());
    expect(await control(second, "accounts/7")).toMatchObject({ balances: { USD: "5" } });
  });

  it("sandbox.md: a port in use is one sentence that says what to do, also that of the control interface", async () => {
    const blocker = createServer();
    onTestFinished(() => void blocker.close());
    const port = String(await listening(blocker));
    const refused = `managed-orders: port ${port} of 127.0.0.1 is in use (EADDRINUSE): end the program that listens there, or pass another port; 0 selects a free one\n`;
    const memory = { STORE: "memory:", VENUE_RECORD: "memory:" };
    const refusals = [
      refusalOf("venue", { ...memory, PORT: port }),
      refusalOf("venue", { ...memory, CONTROL_PORT: port }),
      refusalOf("sandbox", { ...memory, CONTROL_PORT: port }),
    ];
    expect(await Promise.all(refusals)).toEqual([
      [2, refused],
      [2, refused],
      [2, refused],
    ]);
  });

  it("refuses a missing secret in one line, with exit code 2", async () => {
    const child = spawn(process.execPath, [program, "venue"], {
      env: {},
      stdio: ["ignore", "ignore", "pipe"],
    });
    let answer = "";
    child.stderr.on("data", (bytes) => {
      answer += String(bytes);
    });
    expect(await new Promise((resolve) => child.once("close", resolve))).toBe(2);
    expect(answer).toMatch(
      /^managed-orders: VENUE_SECRET: must be 16 to 256 printable ASCII characters[^\n]*\n$/,
    );
  });
});

it("a word that is no command is one line and exit code 2", async () => {
  expect(await refusalOf("sandbo", {})).toEqual([
    2,
    'managed-orders: no command "sandbo": use one of sandbox, venue, cluster, backup, restore, store, verify; --help explains them\n',
  ]);
  const [, answer] = await refusalOf("postgres://user:hunter2@host/db", {});
  expect(answer).toMatch(/^managed-orders: no command "postgres…"/);
});
