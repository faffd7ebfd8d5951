import { describe, expect, it } from "vitest";
import { createMemoryHost } from "../../../src/adapters/memory/index.ts";
import { Price, Quantity } from "../../../src/decimal/index.ts";
import { openEngine } from "../../../src/engine/index.ts";
import { listStatusOf, statusOf } from "../../../src/lifecycle/index.ts";
import type { ChildRequest } from "../../../src/model/index.ts";
import type { ChildReport, ExecutionVenue, VenueEvent } from "../../../src/ports/index.ts";
import { bracket } from "../../../src/requests/index.ts";

it("a memory host has accounts with consent, liquidity markets with aliases, and a clock that stands still", () => {
  const host = createMemoryHost({ symbols: ["BTC/USD", "ETH/USD"], accountIds: [1, 7], startMs: 5 });
  expect(host.instruments.all().map(({ id, symbol, kind, status }) => [id, symbol, kind, status])).toEqual([
    [1, "BTC/USD", "liquidity", "TRADING"],
    [2, "ETH/USD", "liquidity", "TRADING"],
  ]);
  expect(host.instruments.resolve("ETH-USD")?.symbol).toBe("ETH/USD");
  expect(host.accounts.account(7)).toMatchObject({
    accountId: 7,
    enableDataSharing: true,
    restricted: false,
  });
  expect(host.accounts.account(2)).toBeUndefined();
  expect(host.clock.nowMs()).toBe(5);
});

it("ids count up, so that a run is reproducible, and never repeat within it", () => {
  const { entropy } = createMemoryHost({ symbols: ["BTC/USD"] });
  expect([entropy.token(5), entropy.token(5)]).toEqual(["00001", "00002"]);
});

it.each(["BTCUSD", "/USD", "BTC/", "BTC/USD/X"])("a symbol such as %j is refused", (symbol) => {
  expect(() => createMemoryHost({ symbols: [symbol] })).toThrow(RangeError);
});

describe("the positions of a memory host follow the fills", () => {
  const trade = bracket({
    ...{ symbol: "BTC/USD", listClientOrderId: "trade-7", quantity: "0.5" },
    entry: { side: "BUY", type: "LIMIT", price: "60000" },
    takeProfit: { type: "LIMIT", price: "63000" },
    stopLoss: { type: "STOP_MARKET", stopPrice: "58500" },
  });

  /** Places the bracket of the README on a venue that fills every child completely, twice if it `repeats` its reports. */
  async function traded(repeats: boolean): Promise<readonly unknown[]> {
    const host = createMemoryHost({ symbols: ["BTC/USD"] });
    let notify: (event: VenueEvent) => void = () => undefined;
    const venue: ExecutionVenue = {
      capabilities: { honoursDeadline: true, canVoid: false },
      async submit({ childId, quantity }) {
        const price = Price.parse("60000");
        const fills = [{ executionId: `x-${childId}`, quantity, price, timeMs: host.clock.nowMs() }];
        const report: ChildReport = { childId, state: "closed", fills };
        if (repeats) notify({ report });
        return report;
      },
      lookup: async () => "not-found",
      subscribe: (listener) => {
        notify = listener;
        return () => undefined;
      },
    };
    const engine = await openEngine({ ...host, venue, settings: { advancedOrders: true } });
    const positions: string[] = [];
    const quote = async (bid: string, ask: string): Promise<void> => {
      await host.clock.advanceBy(1_000, () => engine.idle());
      engine.market.quote({ symbol: "BTC/USD", bid, ask });
      await engine.idle();
      positions.push(Quantity.format(host.exposure.position(1, "BTC/USD")));
    };
    await quote("60500", "60501");
    await engine.placeList({ accountId: 1, list: trade });
    await quote("59999", "60000");
    await quote("58400", "58401");
    const list = await engine.findList({ accountId: 1, listClientOrderId: "trade-7" });
    const legs = list?.legs.map((leg) => statusOf(leg).status) ?? [];
    return [positions, list && listStatusOf(list).listOrderStatus, legs];
  }

  it.each([false, true])(
    "so that the bracket of the README ends, with repeated reports %s",
    async (repeats) => {
      expect(await traded(repeats)).toEqual([
        ["0", "0.5", "0"],
        "ALL_DONE",
        ["FILLED", "FILLED", "CANCELED"],
      ]);
    },
  );

  it("so that two exits do not sell a position twice, also while the record of the first fill is under way", async () => {
    const host = createMemoryHost({ symbols: ["BTC/USD"] });
    host.exposure.set({ accountId: 1, symbol: "BTC/USD", quantity: Quantity.parse("1") });
    let report: (event: VenueEvent) => void = () => undefined;
    const sent: ChildRequest[] = [];
    const engine = await openEngine({
      ...host,
      venue: {
        capabilities: { honoursDeadline: true, canVoid: false },
        async submit(child) {
          sent.push(child);
          return { childId: child.childId, state: "open", fills: [] };
        },
        lookup: async () => "not-found",
        subscribe: (listener) => {
          report = listener;
          return () => undefined;
        },
      },
      settings: { advancedOrders: true },
    });
    const exit = {
      symbol: "BTC/USD",
      side: "SELL",
      type: "STOP_MARKET",
      quantity: "1",
      reduceOnly: true,
    } as const;
    for (const stopPrice of ["100", "90"])
      await engine.place({ accountId: 1, order: { ...exit, stopPrice } });
    engine.market.quote({ symbol: "BTC/USD", bid: "99", ask: "100" });
    await engine.idle();
    const [{ childId = "", quantity = Quantity.parse("0") } = {}] = sent;
    const fill = { executionId: "x", quantity, price: Price.parse("99"), timeMs: host.clock.nowMs() };
    report({ report: { childId, state: "closed", fills: [fill] } });
    engine.market.quote({ symbol: "BTC/USD", bid: "89", ask: "90" });
    await engine.idle();
    expect(sent.map((child) => Quantity.format(child.quantity))).toEqual(["1"]);
  });
});
