import { describe, expect, it } from "vitest";
import { createMemoryHost, createMemoryStore } from "../../src/adapters/memory/index.ts";
import { openNode } from "../../src/cluster/index.ts";
import { type Engine, EngineError, type EngineFault, openEngine } from "../../src/engine/index.ts";
import { OrderError } from "../../src/errors/index.ts";
import type { VenueCapabilities } from "../../src/ports/index.ts";
import type { OrderFields } from "../../src/requests/index.ts";
import { createScriptedVenue, filled } from "../support/scripted-venue.ts";
import { createWorld, SYMBOL, type World } from "../support/world.ts";

const EXIT = { side: "SELL", type: "STOP_MARKET", stopPrice: "100", reduceOnly: true } as const;

const codeOf = (requested: Promise<unknown>): Promise<unknown> =>
  requested.then(
    () => "taken",
    (error: OrderError) => error.code,
  );

describe("the host's answers when an order is placed", () => {
  it.each<readonly [what: string, answer: unknown]>([
    ["null", null],
    [
      "a consent in text",
      { accountId: 1, userId: 1, enableDataSharing: "yes", delegates: [], restricted: false },
    ],
    [
      "another account",
      { accountId: 2, userId: 1, enableDataSharing: true, delegates: [], restricted: false },
    ],
    [
      "a restriction in text",
      { accountId: 1, userId: 1, enableDataSharing: true, delegates: [], restricted: "BTC/USD" },
    ],
  ])("%s as an account is a failure of the service, and nothing is stored", async (_what, answer) => {
    const world = await createWorld();
    world.accounts.account = () => answer as never;
    expect(await codeOf(world.place({ price: "100" }))).toBe(-1001);
    expect(world.engine.metrics().openParents).toBe(0);
  });

  it.each<readonly [what: string, answer: unknown]>([
    ["text", "1"],
    ["a float", 0.5],
    ["nothing", undefined],
    ["10^30", 10n ** 36n],
  ])("%s as a position is a failure of the service, never a missing position", async (_what, answer) => {
    const world = await createWorld();
    world.exposure.position = () => answer as never;
    expect(await codeOf(world.place(EXIT))).toBe(-1001);
  });

  it("an account port that never answers fails the order after the deadline, and its late answer is ignored", async () => {
    const world = await createWorld({ settings: { hostTimeoutMs: 700 } });
    let answer: () => void = () => undefined;
    world.accounts.account = () =>
      new Promise((resolve) => {
        answer = () =>
          resolve({ accountId: 1, userId: 1, enableDataSharing: true, delegates: [], restricted: false });
      });
    const placed = codeOf(world.place({ price: "100" }));
    await world.pass(700);
    expect(await placed).toBe(-1001);
    answer();
    await world.engine.idle();
    expect(world.engine.metrics().openParents).toBe(0);
  });
});

describe("the host's answers while an order works", () => {
  it.each<readonly [what: string, quote: unknown]>([
    ["null", null],
    ["text", "60000"],
    ["numbers as prices", { symbol: SYMBOL, bid: 99, ask: 100 }],
    ["invalid levels", { symbol: SYMBOL, bid: "99", ask: "100", bids: 7 }],
    [
      "a part that throws",
      {
        symbol: SYMBOL,
        get bid(): string {
          throw new Error("no");
        },
      },
    ],
  ])("%s as a quote is dropped and never thrown back to its source", async (_what, quote) => {
    const world = await createWorld();
    expect(world.engine.market.quote(quote as never)).toBe("malformed");
    expect(() => world.engine.market.print(quote as never)).not.toThrow();
    expect(() => world.engine.market.heartbeat(quote as never)).not.toThrow();
    expect(world.engine.metrics().quotesDropped.malformed).toBe(1);
    expect(world.engine.metrics().printsDropped).toBe(1);
  });
});

describe("a venue whose capabilities cannot be read", () => {
  async function sending(capabilities: VenueCapabilities | Error): Promise<World> {
    const venue = createScriptedVenue();
    Object.defineProperty(venue, "capabilities", {
      get: () => {
        if (capabilities instanceof Error) throw capabilities;
        return capabilities;
      },
    });
    const world = await createWorld({ venue });
    for (const price of ["100", "100", "100"]) await world.place({ price });
    await world.quote("99", "100");
    return world;
  }

  it.each<readonly [what: string, capabilities: VenueCapabilities | Error]>([
    ["a rate of 0", { honoursDeadline: true, canVoid: false, ratePerSecond: 0 }],
    ["a rate below 0", { honoursDeadline: true, canVoid: false, ratePerSecond: -5 }],
    ["a rate that is not a number", { honoursDeadline: true, canVoid: false, ratePerSecond: Number.NaN }],
    ["an infinite rate", { honoursDeadline: true, canVoid: false, ratePerSecond: Number.POSITIVE_INFINITY }],
    ["text in place of capabilities", "fast" as never],
    ["a throw", new Error("no")],
  ])("%s: one child per second goes out, and none is lost", async (_what, capabilities) => {
    const world = await sending(capabilities);
    expect(world.venue.submitted).toHaveLength(1);
    for (let n = 0; n < 2; n++) {
      await world.quote("99", "100");
      await world.pass(1_000);
    }
    expect(world.venue.submitted).toHaveLength(3);
    expect(world.reported).toContain("venue.capabilities");
  });

  it("I22: not-found settles none of its children", async () => {
    const venue = createScriptedVenue({ honoursDeadline: "yes" as never });
    const world = await createWorld({ venue });
    const order = await world.place({ price: "100" });
    venue.onSubmit = () => "silence";
    await world.quote("99", "100");
    await world.pass(60_000);
    expect(await world.status(order)).toBe("NEW UNKNOWN");
  });
});

describe("callbacks of a host", () => {
  it("telemetry, probe and listeners that throw or reject disturb neither the engine nor each other", async () => {
    const received: string[] = [];
    const world = await createWorld({
      report: () => {
        throw new Error("no ear");
      },
      probe: () => {
        throw new Error("no probe");
      },
    });
    world.engine.events.on("order", () => {
      throw new Error("no listener");
    });
    world.engine.events.on("order", (async () => {
      throw new Error("no listener");
    }) as never);
    world.engine.events.on("order", ({ order }) => received.push(String(order.executedQuantity)));
    world.venue.onSubmit = (child) => filled(child);
    const order = await world.place({ price: "100" });
    await world.quote("99", "100");
    expect(await world.status(order)).toBe("FILLED FILLED");
    expect(received.at(-1)).toBe("1000000");
    expect((await world.engine.verify()).equal).toBe(true);
  });
});

const order: OrderFields = {
  ...{ symbol: "BTC/USD", side: "BUY", type: "SYNTHETIC_LIMIT", quantity: "1", price: "100" },
};
const place = (engine: Engine, accountId = 1): Promise<unknown> => engine.place({ accountId, order });

async function failure(call: Promise<unknown>): Promise<OrderError> {
  const error = await call.then(String, (reason: unknown) => reason);
  expect(error).toBeInstanceOf(OrderError);
  return error as OrderError;
}

async function open(settings: Parameters<typeof openEngine>[0]["settings"]): Promise<Engine> {
  const host = createMemoryHost({ symbols: ["BTC/USD"] });
  return await openEngine({ ...host, venue: createScriptedVenue(), ...(settings && { settings }) });
}

/** The ways to each fault, and what a program's author reads. */
const FAULTS: Readonly<Record<EngineFault, readonly [call: () => Promise<unknown>, message: string][]>> = {
  ENGINE_CLOSED: [
    [
      async () => {
        const engine = await open({ advancedOrders: true });
        await engine.close();
        return place(engine);
      },
      "the engine was closed before it could answer: open an engine on the same store with openEngine, then call again",
    ],
  ],
  SHARD_FENCED: [
    [
      async () => {
        const host = createMemoryHost({ symbols: ["BTC/USD"] });
        const parts = { ...host, venue: createScriptedVenue(), settings: { advancedOrders: true } };
        const engine = await openEngine(parts);
        await openEngine({ ...parts, store: createMemoryStore({ disk: host.disk }) });
        await place(engine).catch(() => undefined);
        await engine.idle();
        return place(engine);
      },
      "another engine has taken over shard 28 of the store: close this engine and use the other one, because a store has one engine at a time",
    ],
  ],
  SHARD_ELSEWHERE: [
    [
      async () => {
        const host = createMemoryHost({ symbols: ["BTC/USD"] });
        const settings = { advancedOrders: true };
        const cluster = { name: "node-1" };
        const node = await openNode({ ...host, venue: createScriptedVenue(), settings, cluster });
        // Before it has claimed a shard.
        return place(node.engine);
      },
      "this node does not run shard 28: nothing was stored, so call the node that node.ownerOf(28) names, or again later while the shard is on its way",
    ],
  ],
  DISCONNECTED: [
    [
      async () => {
        const host = createMemoryHost({ symbols: ["BTC/USD"] });
        const account = (): never => {
          throw new TypeError("no connection");
        };
        const parts = { ...host, accounts: { ...host.accounts, account }, venue: createScriptedVenue() };
        return place(await openEngine({ ...parts, settings: { advancedOrders: true } }));
      },
      "accounts.account of the host failed (TypeError): nothing was stored, so call again; `cause` has the error",
    ],
    [
      async () => (await open({ advancedOrders: true })).place({ accountId: 1, order, notAfterMs: 0 }),
      "notAfterMs of the placement passed before it could be decided: nothing was stored, so call again with a later time",
    ],
    [
      async () => (await open({ advancedOrders: true })).check({ accountId: 1, order, notAfterMs: 0 }),
      "notAfterMs of the placement passed before it could be decided: nothing was stored, so call again with a later time",
    ],
  ],
  ADVANCED_ORDERS_OFF: [
    [
      async () => place(await open(undefined)),
      "openEngine.settings.advancedOrders is false, so the engine takes no orders: pass settings: { advancedOrders: true }",
    ],
    [
      async () => place(await open({ advancedOrders: true, liquidityMode: false })),
      "openEngine.settings.liquidityMode is false, so the engine takes no orders: pass settings: { liquidityMode: true }",
    ],
  ],
  UNKNOWN_ACCOUNT: [
    [
      async () => place(await open({ advancedOrders: true }), 7),
      "the host's accounts.account(7) returned undefined: pass the id of an account that it knows, or add this one",
    ],
  ],
  SHUTTING_DOWN: [
    [
      async () => {
        const engine = await open({ advancedOrders: true });
        engine.drain();
        return place(engine);
      },
      "drain or close was called, so the engine takes no new orders: open another engine for them; cancels and reads still work",
    ],
  ],
  SERVER_BUSY: [
    [
      async () => {
        const engine = await open({ advancedOrders: true, maxOpenParentsPerAccount: 1 });
        await place(engine);
        return place(engine);
      },
      "the limit openEngine.settings.maxOpenParentsPerAccount is reached: nothing was stored, so call again later, or raise the limit",
    ],
  ],
};

describe("a fault of the engine or its host names cause and remedy in process", () => {
  const cases = Object.entries(FAULTS).flatMap(([fault, ways]) =>
    ways.map((way) => [fault, ...way] as const),
  );

  it.each(cases)("%s, which the wire does not tell", async (fault, call, message) => {
    const error = await failure(call());
    expect([error.reason, error.message]).toEqual([fault, message]);
    const { code, msg, error: text } = new OrderError(fault as EngineFault).toBody();
    expect(error.toBody()).toEqual({ code, msg, error: text });
    expect(error.msg).toBe(msg);
  });

  it("and is an EngineError, which a refused order is not", async () => {
    expect(await failure(place(await open(undefined)))).toBeInstanceOf(EngineError);
    const engine = await open({ advancedOrders: true });
    const refused = await failure(engine.place({ accountId: 1, order: { ...order, symbol: "XYZ/USD" } }));
    const message = "Invalid symbol. Take the symbol from exchangeInfo.";
    expect([refused instanceof EngineError, refused.message]).toEqual([false, message]);
  });
});
