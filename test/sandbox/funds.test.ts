import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { createEntropy, createSystemClock } from "../../src/adapters/node/index.ts";
import { answerControl } from "../../src/sandbox/control-routes.ts";
import { createControlServer } from "../../src/sandbox/control-server.ts";
import { type Exchange, openExchange } from "../../src/sandbox/exchange.ts";
import { readSettings } from "../../src/sandbox/settings.ts";
import { START_MS } from "./venue-world.ts";

async function openControlled(): Promise<
  Readonly<{ exchange: Exchange; setBalances: (usd: string) => Promise<void> }>
> {
  const env = { STORE: "memory:", MARKET: "manual", CLOCK: "manual", CLOCK_START: String(START_MS) };
  const exchange = await openExchange(readSettings({ env, argv: [] }), {
    realClock: createSystemClock(),
    entropy: createEntropy(),
    telemetry: { event: () => undefined },
  });
  const server = createControlServer(
    (call) => answerControl(exchange, call),
    () => [],
  );
  await new Promise<void>((resolve) => server.listen({ host: "127.0.0.1", port: 0 }, resolve));
  onTestFinished(async () => {
    server.close().closeAllConnections();
    await exchange.close();
  });
  const { port } = server.address() as AddressInfo;
  const account = {
    accountId: 5,
    apiKey: "five",
    secret: "five-secret",
    permissions: ["TRADE"],
    enableDataSharing: true,
  };
  const setBalances = async (USD: string): Promise<void> => {
    const body = JSON.stringify({ ...account, balances: { USD } });
    const headers = { "Content-Type": "application/json" };
    const { status } = await fetch(`http://127.0.0.1:${port}/control/accounts`, {
      method: "POST",
      headers,
      body,
    });
    expect(status).toBe(200);
  };
  return { exchange, setBalances };
}

it("balances set by the control interface resume the account's children", async () => {
  const { exchange, setBalances } = await openControlled();
  const { engine, sink, settle } = exchange;
  await setBalances("1");
  const order = {
    symbol: "BTC/USD",
    side: "BUY",
    type: "SYNTHETIC_LIMIT",
    quantity: "1",
    price: "100",
  } as const;
  for (let n = 0; n < 6; n++)
    await engine.place({ accountId: 5, order: { ...order, newClientOrderId: `a${n}` } });
  const resume = async (advanceMs: number): Promise<number> => {
    await exchange.advance({ advanceMs });
    sink.quote({ symbol: "BTC/USD", bid: "99", ask: "100" });
    await settle();
    return exchange.paper?.children().length ?? 0;
  };
  for (let step = 0; step < 60; step++) await resume(500);
  const before = await resume(0);
  let children = before;
  while (children === before) children = await resume(200);
  await setBalances("1000");
  for (let step = 0; step < 5; step++) await resume(200);
  expect(engine.metrics().openParents).toBeLessThan(6);
});
