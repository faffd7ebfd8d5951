import { describe, expect, it } from "vitest";
import { type Client, localChecks, preview } from "../../src/client/index.ts";
import { clientOn, openClientWorld, settled } from "./client-world.ts";
import { PAIR, refusalOf, STOP } from "./placements.ts";

/** Orders and lists that the service refuses whatever its market is. */
const WRONG: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
  "too small": (client) => client.placeOrder({ ...STOP, quantity: "0.0001" }),
  "too many decimals": (client) => client.placeOrder({ ...STOP, quantity: "0.0000001" }),
  "a number for a decimal": (client) => client.placeOrder({ ...STOP, stopPrice: 6000 } as never),
  "a misspelt field": (client) => client.placeOrder({ ...STOP, stopprice: "6000" } as never),
  "a missing field": (client) => client.placeOrder({ ...STOP, stopPrice: undefined } as never),
  "an expiry in the past": (client) => client.placeOrder({ ...STOP, expireTime: 1_000 }),
  "an unknown side": (client) => client.placeOrder({ ...STOP, side: "HOLD" } as never),
  "a bad client id": (client) => client.placeOrder({ ...STOP, newClientOrderId: "aqc-1" }),
  "a list with a wrong leg": (client) => client.placeOco({ ...PAIR, belowStopPrice: "6000.000000001" }),
  "a list of two limits": (client) => client.placeOco({ ...PAIR, belowType: "LIMIT", belowPrice: "5000" }),
};

describe("checks before sending", () => {
  it.each(Object.entries(WRONG))(
    "%s: the same code, text, remedy as the service, and no order is sent",
    async (_name, call) => {
      const world = await openClientWorld();
      const { code, msg, remedy, sent } = await refusalOf(call(world.client));
      expect(sent).toBe(true);
      world.wire.calls.length = 0;
      const checking = clientOn(world, world.wire, { checks: localChecks });
      expect(await refusalOf(call(checking))).toMatchObject({ code, msg, remedy, sent: false });
      // An expiry is compared with the server's time.
      expect(world.wire.calls.filter(({ url }) => url.pathname !== "/api/time")).toEqual([]);
    },
  );

  it("an expiry is compared with the server's time, also if the client's own clock is wrong", async () => {
    const world = await openClientWorld();
    const nowMs = (): number => world.clock.nowMs() + 3_600_000;
    const client = clientOn(world, world.wire, { checks: localChecks, clock: { ...world.clock, nowMs } });
    const order = { ...STOP, timeInForce: "GTD", expireTime: world.clock.nowMs() + 600_000 } as const;
    expect((await client.placeOrder(order)).status).toBe("NEW");
  });

  it("options that cannot be used are refused before the server's time is asked", async () => {
    const world = await openClientWorld();
    const client = clientOn(world, world.wire, { checks: localChecks });
    const order = { ...STOP, timeInForce: "GTD", expireTime: world.clock.nowMs() + 600_000 } as const;
    for (const options of [{ timeoutMs: 0 }, { timeout: 5 } as never])
      await expect(settled(world, client.placeOrder(order, options))).rejects.toThrow("options");
    expect(world.wire.calls.length).toBe(0);
  });

  it("what only the service knows is left to it: market, position, volumes and the account", async () => {
    const world = await openClientWorld();
    world.feed.quote({ symbol: "BTC/USD", bid: "6999", ask: "7001" });
    const checking = clientOn(world, world.wire, { checks: localChecks });
    const trailing = {
      ...STOP,
      type: "TRAILING_STOP_MARKET",
      trailingDelta: 100,
      stopPrice: undefined,
    } as never;
    expect((await checking.placeOrder(trailing)).status).toBe("NEW");
    expect((await checking.placeOrder({ ...STOP, account: 4 })).accountId).toBe(4);
    const reducing = await refusalOf(checking.placeOrder({ ...STOP, reduceOnly: true }));
    expect([reducing.code, reducing.sent]).toEqual([-2022, true]);
    const plan = { symbol: "BTC/USD", side: "BUY", type: "VWAP", quantity: "1", intervalCount: 5 } as const;
    expect((await refusalOf(checking.placeOrder(plan))).sent).toBe(true);
    expect((await checking.placeOco(PAIR)).orders.length).toBe(2);
  });
});

describe("preview", () => {
  it("uses the quote, the minimum and the time of the service", async () => {
    const world = await openClientWorld({ engine: { minimumNotional: "100" } });
    const small = {
      symbol: "BTC/USD",
      side: "SELL",
      type: "TRAILING_STOP",
      trailingDelta: 100,
      quantity: "0.01",
    } as const;
    expect((await preview(world.client, small)).refusal?.code).toBe(-1112);
    world.feed.quote({ symbol: "BTC/USD", bid: "6999", ask: "7001" });
    expect((await preview(world.client, small)).refusal?.code).toBe(-1013);
    const twap = {
      ...small,
      type: "TWAP",
      trailingDelta: undefined,
      quantity: "1",
      interval: 60_000,
      intervalCount: 10,
    } as never;
    const { refusal, slots = [], minimum } = await preview(world.client, twap);
    expect([refusal, slots.length, slots[0]?.opensAtMs]).toEqual([undefined, 10, world.clock.nowMs()]);
    expect([slots[0]?.quantity, minimum]).toEqual(["0.1", "100"]);
  });
});
