import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type SandboxProcess, startSandboxProcess } from "../support/sandbox-process.ts";

const SYMBOL = "BTC/USD";
const START_MS = 1_760_000_000_000;
let folder: string;
let sandbox: SandboxProcess;

const environment = (): Record<string, string> => ({
  STORE: `sqlite:${folder}/orders.db`,
  MARKET: "manual",
  CLOCK: "manual",
  CLOCK_START: String(START_MS),
});

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "managed-orders-control-"));
  sandbox = await startSandboxProcess(environment());
});

afterAll(async () => {
  await sandbox.kill();
  await rm(folder, { recursive: true, force: true });
});

type Raw = Readonly<{ method?: string; path: string; headers?: Record<string, string>; body?: string }>;

function raw({
  method = "POST",
  path,
  headers = {},
  body = "",
}: Raw): Promise<Readonly<{ status: number; body: unknown }>> {
  return new Promise((resolve, reject) => {
    const sent = request(
      `${sandbox.controlUrl}/control/${path}`,
      { method, headers, agent: false },
      (response) => {
        let text = "";
        response.on("data", (chunk: Buffer) => {
          text += chunk.toString();
        });
        response.on("end", () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }));
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}

const JSON_TYPE = { "content-type": "application/json" };

it("health, clock and metrics show the state of the sandbox", async () => {
  expect(await sandbox.control("GET", "health")).toEqual({
    ok: true,
    state: "active",
    now: START_MS,
    openParents: 0,
    journalSequence: 0,
  });
  expect(await sandbox.control("POST", "clock", { advanceMs: 5 })).toEqual({ now: START_MS + 5 });
  expect(await sandbox.control("POST", "clock", { now: START_MS + 10 })).toEqual({ now: START_MS + 10 });
  expect(await sandbox.control("GET", "clock")).toEqual({ now: START_MS + 10 });
  expect(
    await raw({ path: "clock", headers: JSON_TYPE, body: JSON.stringify({ now: START_MS }) }),
  ).toMatchObject({ status: 400 });
  expect(await sandbox.control("GET", "metrics")).toMatchObject({ quotesCounted: 0, unknown: 0, alerts: 0 });
});

it("quotes are counted or dropped by cause, and a drop changes nothing (complaints 27, 28)", async () => {
  const quote = (fields: object): Promise<unknown> =>
    sandbox.control("POST", "quotes", { symbol: SYMBOL, bid: "99", ask: "101", ...fields });
  expect(await quote({})).toEqual({ accepted: 1, dropped: 0 });
  expect(
    await sandbox.control("POST", "quotes", [
      { symbol: SYMBOL, bid: "0", ask: "1" },
      { symbol: SYMBOL, bid: "3", ask: "2" },
    ]),
  ).toEqual({ accepted: 0, dropped: 2 });
  expect(await quote({ symbol: "NO/USD" })).toEqual({ accepted: 0, dropped: 1 });
  expect(await quote({ time: START_MS - 60_000 })).toEqual({ accepted: 0, dropped: 1 });
  expect(await quote({ time: START_MS + 60_000 })).toEqual({ accepted: 0, dropped: 1 });
  expect(await quote({ bid: "5", ask: "6" })).toEqual({ accepted: 0, dropped: 1 });
  const { quotesDropped } = await sandbox.control<{ quotesDropped: Record<string, number> }>(
    "GET",
    "metrics",
  );
  expect(quotesDropped).toMatchObject({
    zero: 1,
    crossed: 1,
    "unknown-symbol": 1,
    "out-of-order": 1,
    future: 1,
    jump: 1,
  });
});

it("levels and sizes reach the venue: a child takes the available size inside its limit, level by level", async () => {
  const { body } = await sandbox.signed("POST", "/api/order", {
    symbol: SYMBOL,
    side: "BUY",
    type: "SYNTHETIC_LIMIT",
    quantity: "3",
    price: "102",
  });
  await sandbox.control("POST", "quotes", {
    symbol: SYMBOL,
    bid: "99",
    ask: "100",
    asks: [
      ["100", "1"],
      ["102", "0.5"],
      ["103", "9"],
    ],
  });
  const children = await sandbox.control<readonly object[]>("GET", `children?orderId=${body["orderId"]}`);
  expect(children).toMatchObject([{ quantity: "3", executedQty: "1.5", price: "102", submissions: 1 }]);
  await sandbox.signed("DELETE", "/api/v2/order", { symbol: SYMBOL, orderId: body["orderId"] as number });
});

it("trades move the last price; a future one is refused", async () => {
  await sandbox.control("POST", "trades", [{ symbol: SYMBOL, price: "100.5", quantity: "2", id: "t-1" }]);
  const future = { symbol: SYMBOL, price: "1", quantity: "1", time: START_MS + 3_600_000 };
  expect(await raw({ path: "trades", headers: JSON_TYPE, body: JSON.stringify(future) })).toMatchObject({
    status: 400,
  });
  const reply = await fetch(`${sandbox.url}/api/ticker?symbol=BTC/USD`);
  expect(await reply.json()).toMatchObject({ price: "100.5", bid: "99", ask: "100" });
});

it("accounts are created, shown without their secret, replaced, and their earlier key ends at once", async () => {
  const account = {
    accountId: 7,
    apiKey: "seven",
    secret: "s-7",
    permissions: ["READ"],
    enableDataSharing: true,
    balances: { USD: "10" },
  };
  const shown = await sandbox.control("POST", "accounts", account);
  expect(shown).toMatchObject({ accountId: 7, userId: 7, apiKey: "seven", balances: { USD: "10" } });
  expect(JSON.stringify(shown)).not.toContain("s-7");
  await sandbox.control("POST", "accounts", { ...account, apiKey: "seven-b" });
  expect(await sandbox.control("GET", "accounts/7")).toMatchObject({ apiKey: "seven-b" });
  expect(await raw({ method: "GET", path: "accounts/8" })).toMatchObject({ status: 404 });
});

it("faults of an unknown part and unknown modes are refused by name, not ignored", async () => {
  for (const [part, mode] of [
    ["native", "stale"],
    ["volume", "slow"],
    ["store", "stale"],
  ]) {
    const body = JSON.stringify({ [part as string]: { mode } });
    const reply = await raw({ path: "faults", headers: JSON_TYPE, body });
    expect(reply).toEqual({ status: 400, body: { error: expect.stringContaining(part as string) } });
  }
});

type Volume = { printsCounted: number; printsDropped: number };

it("every trade is accepted, a repeated id counts once; a trade without a size does not count", async () => {
  const trade = { symbol: SYMBOL, price: "100", quantity: "0.5" };
  const { printsCounted: before } = await sandbox.control<Volume>("GET", "metrics");
  expect(await sandbox.control("POST", "trades", { ...trade, id: "once" })).toEqual({ accepted: 1 });
  expect(await sandbox.control("POST", "trades", [{ ...trade, id: "once" }, trade, trade])).toEqual({
    accepted: 3,
  });
  expect(await sandbox.control("POST", "trades", [{ ...trade, quantity: "0" }])).toEqual({ accepted: 0 });
  expect(await sandbox.control("POST", "trades", [{ ...trade, price: "-1" }])).toEqual({ accepted: 0 });
  const { printsCounted } = await sandbox.control<Volume>("GET", "metrics");
  expect(printsCounted).toBe(before + 3);
});

it("lists have a journal: one record for all legs, each with its cause", async () => {
  const { body } = await sandbox.signed("POST", "/api/v3/orderList/oco", {
    symbol: SYMBOL,
    side: "SELL",
    quantity: "1",
    listClientOrderId: "control-pair",
    aboveType: "LIMIT",
    abovePrice: "150",
    aboveIcebergQty: "0.5",
    belowType: "STOP_LOSS",
    belowStopPrice: "50",
  });
  const orderListId = body["orderListId"] as number;
  const path = `lists/${orderListId}/journal`;
  const [protective, profit] = (body["orders"] as { orderId: number }[]).map(({ orderId }) => orderId);
  expect(await sandbox.control("GET", path)).toMatchObject([
    {
      cause: { kind: "PLACE" },
      changes: [
        { orderId: protective, facts: [{ kind: "ACCEPTED", intent: { stopPrice: "50", quantity: "1" } }] },
        { orderId: profit, facts: [{ kind: "ACCEPTED", intent: { price: "150", icebergQuantity: "0.5" } }] },
      ],
    },
  ]);
  await sandbox.signed("DELETE", "/api/v3/orderList", { orderListId });
  const ended = await sandbox.control<readonly { cause: object }[]>("GET", path);
  expect(ended.map(({ cause }) => cause)).toEqual([{ kind: "PLACE" }, { kind: "CANCEL" }]);
  for (const id of [String(protective), "-999999", "0", "12", "x"]) {
    const { status } = await raw({ method: "GET", path: `lists/${id}/journal` });
    expect([id, status]).toEqual([id, id === "x" ? 400 : 404]);
  }
});

it("the control interface listens on the local machine and accepts JSON only", async () => {
  const body = JSON.stringify({ symbol: SYMBOL });
  expect((await raw({ path: "heartbeat", headers: JSON_TYPE, body })).status).toBe(200);
  expect((await raw({ path: "heartbeat", headers: { "content-type": "text/plain" }, body })).status).toBe(
    415,
  );
  expect(
    (await raw({ path: "heartbeat", headers: { ...JSON_TYPE, host: "evil.example" }, body })).status,
  ).toBe(403);
  expect(
    (await raw({ path: "heartbeat", headers: { ...JSON_TYPE, origin: "http://evil.example" }, body })).status,
  ).toBe(403);
  expect(
    (await raw({ path: "heartbeat", headers: { ...JSON_TYPE, origin: sandbox.url }, body })).status,
  ).toBe(200);
  expect((await raw({ path: "heartbeat", headers: JSON_TYPE, body: "{" })).status).toBe(400);
  expect((await raw({ path: "nothing", headers: JSON_TYPE, body })).status).toBe(404);
});

it("a restart continues with the same orders, accounts and time", async () => {
  const fields = {
    symbol: SYMBOL,
    side: "SELL",
    type: "STOP_MARKET",
    quantity: "1",
    stopPrice: "50",
    newClientOrderId: "kept",
  };
  const { body } = await sandbox.signed("POST", "/api/order", fields);
  const { now } = await sandbox.control<{ now: number }>("POST", "clock", { advanceMs: 1_000 });
  await sandbox.kill();
  sandbox = await startSandboxProcess({ ...environment(), CLOCK_START: "1" });
  expect(await sandbox.control("GET", "clock")).toEqual({ now });
  expect(await sandbox.control("GET", "accounts/7")).toMatchObject({ apiKey: "seven-b" });
  const again = await sandbox.signed("POST", "/api/order", fields);
  expect(again.body["orderId"]).toBe(body["orderId"]);
  const journal = await sandbox.control<readonly object[]>("GET", `orders/${body["orderId"]}/journal`);
  expect(journal).toMatchObject([
    {
      cause: { kind: "PLACE" },
      changes: [{ facts: [{ kind: "ACCEPTED", intent: { stopPrice: "50", quantity: "1" } }] }],
    },
  ]);
});

it("trades without an id are separate trades, also after a restart on a clock that stood still", async () => {
  const trade = { symbol: SYMBOL, price: "100", quantity: "1" };
  await sandbox.control("POST", "trades", [trade, trade]);
  await sandbox.kill();
  sandbox = await startSandboxProcess(environment());
  await sandbox.control("POST", "trades", [trade, trade]);
  expect(await sandbox.control("GET", "metrics")).toMatchObject({ printsCounted: 2, printsDropped: 0 });
});

it("SIGTERM drains and exits 0; no acknowledged order is lost", async () => {
  sandbox.process.kill("SIGTERM");
  expect(await sandbox.ended).toBe(0);
  sandbox = await startSandboxProcess(environment());
  const { body } = await sandbox.signed("GET", "/api/v2/order", {
    symbol: SYMBOL,
    origClientOrderId: "kept",
  });
  expect(body["status"]).toBe("NEW");
});

const cli = fileURLToPath(new URL("../../dist/sandbox/cli.js", import.meta.url));

function run(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Readonly<{ code: number | null; errors: string }>> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [cli, ...args], {
      env: { STORE: "memory:", PORT: "auto", CONTROL_PORT: "auto", ...env },
    });
    let errors = "";
    child.stderr.on("data", (chunk: Buffer) => {
      errors += chunk.toString();
    });
    child.on("exit", (code) => resolve({ code, errors }));
  });
}

it.each([
  [{ PORT: "99999" }, "PORT"],
  [{ STORE: "postgres://:0" }, "STORE"],
  [{ STORE: "postgres://x/y", CLOCK: "manual" }, "CLOCK"],
  [{ MARKET: "nonsense" }, "MARKET"],
  [{ MARKET: "replay:/no/such/file.csv" }, "file.csv"],
  [{ ORDER_REJECT_PERSISTENCE_ENABLED: "yes" }, "ORDER_REJECT_PERSISTENCE_ENABLED"],
])("a bad setting %j is one clear line and exit code 2", async (env, named) => {
  const { code, errors } = await run(["sandbox"], env);
  expect(code).toBe(2);
  expect(errors.trim().split("\n")).toHaveLength(1);
  expect(errors).toContain(named);
});
