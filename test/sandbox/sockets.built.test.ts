import { describe, expect, it, onTestFinished } from "vitest";
import type { RequestParameters } from "../../src/signing/index.ts";
import type { JsonObject } from "../../src/wire/index.ts";
import { KEY, type SandboxProcess, SECRET, startSandboxProcess } from "../support/sandbox-process.ts";
import { SocketClient } from "../support/socket-client.ts";

const START_MS = Date.UTC(2026, 0, 2, 12);
const HOUR_MS = 3_600_000;

const key = { apiKey: KEY, secret: SECRET };
const SUBSCRIBE = "userDataStream.subscribe.signature";

async function start(settings: Readonly<Record<string, string>> = {}): Promise<SandboxProcess> {
  const sandbox = await startSandboxProcess({
    STORE: "memory:",
    MARKET: "manual",
    CLOCK: "manual",
    CLOCK_START: String(START_MS),
    QUOTE_MAX_AGE_MS: String(HOUR_MS),
    ...settings,
  });
  onTestFinished(() => sandbox.kill());
  return sandbox;
}

async function connect(
  sandbox: SandboxProcess,
  path = "/ws/listenKey",
  options?: Parameters<typeof SocketClient.connect>[1],
): Promise<SocketClient> {
  const client = await SocketClient.connect(`${sandbox.wsUrl}${path}`, options);
  onTestFinished(() => client.close());
  return client;
}

/** A request signed at the sandbox's own time. */
async function ask(
  sandbox: SandboxProcess,
  client: SocketClient,
  method: string,
  params: RequestParameters = {},
): Promise<JsonObject> {
  const { now } = await sandbox.control<{ now: number }>("GET", "clock");
  return await client.signed(key, method, { timestamp: now, ...params });
}

const quote = (sandbox: SandboxProcess, bid: string, ask_: string): Promise<unknown> =>
  sandbox.control("POST", "quotes", { symbol: "BTC/USD", bid, ask: ask_ });

const LIMIT = {
  symbol: "BTC/USD",
  side: "BUY",
  type: "SYNTHETIC_LIMIT",
  quantity: "0.01",
  price: "7000",
} as const;

describe("the sandbox", () => {
  it("sandbox.md: the ready line shows the address of WebSocket next to that of REST", async () => {
    const { url, wsUrl } = await start();
    expect(wsUrl).toBe(url.replace("http:", "ws:"));
  });

  it("an order by WebSocket, its fill, and the resulting changes of the account", async () => {
    const sandbox = await start();
    const client = await connect(sandbox);
    expect((await ask(sandbox, client, SUBSCRIBE)).result).toMatchObject({
      subscriptionId: 0,
      accountId: 1,
      sequence: 0,
    });
    await ask(sandbox, client, "order.place", { ...LIMIT, newClientOrderId: "a" });
    await quote(sandbox, "6990", "7000");
    await sandbox.control("POST", "settle", {});
    await client.until(() => client.events.length >= 3);
    expect(client.events.map(({ e, sequence }) => [e, sequence])).toEqual([
      ["ORDER_TRADE_UPDATE", 1],
      ["ORDER_TRADE_UPDATE", 2],
      ["ACCOUNT_UPDATE", 3],
    ]);
    const { balances } = await sandbox.control<{ balances: Record<string, string> }>("GET", "accounts/1");
    expect(client.events[2]?.a).toMatchObject({
      m: "ORDER",
      B: [
        { a: "BTC", wb: balances.BTC, bc: "0.01" },
        { a: "USD", wb: balances.USD, bc: "-70" },
      ],
      P: [{ s: "BTC/USD", pa: balances.BTC }],
    });
    const { body } = await sandbox.signed("GET", "/api/v2/order", {
      symbol: "BTC/USD",
      origClientOrderId: "a",
    });
    const status = await ask(sandbox, client, "order.status", { symbol: "BTC/USD", origClientOrderId: "a" });
    expect(status.result).toEqual(body);
  });

  it("sandbox.md: pings follow CLOCK; a client that answers stays however far the clock is moved, for 24 hours", async () => {
    const sandbox = await start();
    const [answering, silent] = [
      await connect(sandbox),
      await connect(sandbox, "/ws/liquidity", { autoPong: false }),
    ];
    let pings = 0;
    answering.socket.on("ping", () => pings++);
    await sandbox.control("POST", "clock", { advanceMs: 20_000 });
    await ask(sandbox, answering, "session.subscriptions");
    expect(pings).toBe(1);
    await sandbox.control("POST", "clock", { advanceMs: HOUR_MS });
    expect(await silent.closed).toEqual([1008, "no pong"]);
    expect((await ask(sandbox, answering, "session.subscriptions")).status).toBe(200);
    await sandbox.control("POST", "clock", { advanceMs: 24 * HOUR_MS });
    expect(await answering.closed).toEqual([1001, "the connection has reached its age"]);
  });

  it("more than 1,000 messages at one time of a manual clock are not a flood", async () => {
    const sandbox = await start();
    const client = await connect(sandbox);
    for (let round = 0; round < 3; round++) {
      await Promise.all(Array.from({ length: 400 }, () => client.ask("session.subscriptions")));
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
    expect(client.messages).toHaveLength(1_200);
  });

  it("SIGTERM is announced, every connection ends, and the process with exit code 0", async () => {
    const sandbox = await start();
    const [trader, watcher] = [await connect(sandbox), await connect(sandbox, "/ws/liquidity")];
    await ask(sandbox, trader, SUBSCRIBE);
    sandbox.process.kill("SIGTERM");
    expect([await trader.closed, await watcher.closed]).toEqual([
      [1001, "the service stops"],
      [1001, "the service stops"],
    ]);
    expect(trader.messages.at(-1)).toMatchObject({ event: { e: "serverShutdown" } });
    expect(watcher.messages).toMatchObject([{ e: "serverShutdown" }]);
    expect(await sandbox.ended).toBe(0);
  });
});
