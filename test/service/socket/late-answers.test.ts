import { expect, it, vi } from "vitest";
import { workMessage } from "../../../src/service/internal.ts";
import { type JsonObject, writeJson } from "../../../src/wire/index.ts";
import { openWorld } from "../../support/service-world.ts";
import { TestClient } from "../../support/socket-world.ts";
import { KEY, openCompatWorld } from "../rest/compat/world.ts";

const COMPAT = "/compat/ws-api/v3";

it("a connection that ends while its SUBSCRIBE is weighed starts no stream", async () => {
  let answer: (used: Readonly<{ used: number }>) => void = () => undefined;
  const waiting = new Promise<Readonly<{ used: number }>>((resolve) => {
    answer = resolve;
  });
  const rateLimiter = {
    limits: undefined,
    weigh: vi.fn(() => waiting),
    takeOrders: () => ({ counts: { per10s: 1, perDay: 1 }, takenAtMs: 0 }),
    returnOrders: () => ({ per10s: 0, perDay: 0 }),
  };
  const world = await openWorld({ service: { rateLimiter } });
  const listens = vi.spyOn(world.engine.events, "on");
  for (const target of ["/ws/liquidity", "/stream"]) {
    const client = new TestClient(world, { target });
    client.session.receive('{"id":1,"method":"SUBSCRIBE","params":["btcusd@trade"]}');
    await client.until(() => rateLimiter.weigh.mock.calls.length > 0);
    client.session.closed();
    rateLimiter.weigh.mockClear();
  }
  answer({ used: 1 });
  await world.engine.idle();
  await new Promise(setImmediate);
  const kinds = listens.mock.calls.map(([kind]) => kind);
  expect(kinds).not.toContain("quote");
  expect(kinds).not.toContain("print");
});

it("params with decimals have their weight", async () => {
  const world = await openCompatWorld({ limits: { weightPerMinute: 1_000_000, ordersPer10s: 1_000 } });
  const bot = new TestClient(world, { target: COMPAT });
  const weight = async (params: string): Promise<number> => {
    const { rateLimits } = await bot.sendsRaw(`{"id":1,"method":"depth","params":${params}}`);
    return (rateLimits as readonly { count: number }[])[0]?.count ?? 0;
  };
  const before = await weight('{"symbol":"BTCUSD","limit":5000}');
  expect((await weight('{"symbol":"BTCUSD","limit":5000,"x":0.5}')) - before).toBe(250);
});

it("a front thread reads decimals in the convention's dialect alone", async () => {
  const world = await openCompatWorld();
  const bot = new TestClient(world, { target: COMPAT });
  const signed = bot.params({ symbol: "BTCUSD", side: "SELL", quantity: "0.001" }, KEY);
  const params = signed as JsonObject;
  const text = writeJson({ id: 1, method: "order.place", params }).replace('"0.001"', "0.001");
  const secretOf = (): string => KEY.secret;
  expect(workMessage(text, secretOf, "own")).toBeUndefined();
  const worked = workMessage(text, secretOf, "convention");
  expect(worked?.parameters.get("quantity")).toEqual({ text: "0.001", kind: "text" });
  const listed = text.replace("order.place", "myTrades");
  expect(workMessage(listed, secretOf, "own")).toBeUndefined();
  expect(workMessage(listed, secretOf, "convention")?.envelope).toEqual({ id: 1n, method: "myTrades" });
});
