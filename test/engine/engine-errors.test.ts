import { describe, expect, it } from "vitest";
import { createMemoryHost, createMemoryStore } from "../../src/adapters/memory/index.ts";
import { openNode } from "../../src/cluster/index.ts";
import { type Engine, EngineError, type EngineFault, openEngine } from "../../src/engine/index.ts";
import { OrderError } from "../../src/errors/index.ts";
import type { OrderFields } from "../../src/requests/index.ts";
import { createScriptedVenue } from "../support/scripted-venue.ts";

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

describe("decision KJ: a fault of the engine or its host names cause and remedy in process", () => {
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
