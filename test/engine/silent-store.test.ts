import { describe, expect, it } from "vitest";
import { createMemoryAccounts, createMemoryStore } from "../../src/adapters/memory/index.ts";
import { DEFAULT_SETTINGS } from "../../src/engine/index.ts";
import type { OrderStore } from "../../src/ports/index.ts";
import type { OrderFields } from "../../src/requests/index.ts";
import { createFaultyWorld, turns } from "../support/faulty-world.ts";
import { accountEntry, createWorld, SYMBOL, type World, type WorldOptions } from "../support/world.ts";

const { hostTimeoutMs } = DEFAULT_SETTINGS;
const FIELDS: OrderFields = {
  symbol: SYMBOL,
  side: "BUY",
  type: "SYNTHETIC_LIMIT",
  quantity: "1",
  price: "100",
  newClientOrderId: "one",
};
const NEVER = new Promise<never>(() => undefined);

/** The present result of a promise. */
function outcomeOf(promise: Promise<unknown>): { readonly now: string } {
  const outcome = { now: "waits" };
  promise.then(
    () => (outcome.now = "resolved"),
    (error: { code?: number }) => (outcome.now = String(error.code ?? error)),
  );
  return outcome;
}

type SilentWorld = Readonly<{ world: World; silent: Set<keyof OrderStore>; failing: Set<keyof OrderStore> }>;

/** A world in which a question to the store is never answered once `silent` contains its name. */
async function silentWorld(options: WorldOptions = {}): Promise<SilentWorld> {
  const silent = new Set<keyof OrderStore>();
  const failing = new Set<keyof OrderStore>();
  const world = await createWorld({
    ...options,
    store: (disk) => {
      const store = createMemoryStore({ disk });
      return new Proxy(store, {
        get(of, name: keyof OrderStore) {
          if (name === "leases") return of.leases;
          return (...requested: never[]) => {
            if (failing.has(name)) return Promise.reject(new Error("the store fails"));
            return silent.has(name) ? NEVER : (of[name] as (...requested: never[]) => unknown)(...requested);
          };
        },
      });
    },
  });
  return { world, silent, failing };
}

describe("decision CC: a store that does not answer an append", () => {
  it("I03: waiting callers get -1006; the id stays taken, and a retry answers with the order once the store does", async () => {
    const { world, store } = await createFaultyWorld();
    store().inject("slow");
    const first = outcomeOf(world.engine.place({ accountId: 1, order: FIELDS }));
    await turns();
    await world.clock.advanceBy(hostTimeoutMs - 1);
    expect(first.now).toBe("waits");
    await world.clock.advanceBy(1);
    expect(first.now).toBe("-1006");
    const again = world.engine.place({ accountId: 1, order: FIELDS });
    await turns();
    store().inject("none");
    store().release();
    expect((await again).created).toBe(false);
    expect(world.updates).toHaveLength(1);
  });

  it("a retry is bounded as the first call was, however often it is made; reads are always answered", async () => {
    const { world, store } = await createFaultyWorld();
    const order = await world.place({ price: "100" });
    store().inject("slow");
    for (let n = 0; n < 3; n++) {
      const calls = [
        outcomeOf(world.engine.place({ accountId: 1, order: FIELDS })),
        outcomeOf(world.cancel(order)),
        outcomeOf(world.engine.cancelAll(1)),
      ];
      await turns();
      await world.clock.advanceBy(2 * hostTimeoutMs);
      expect(calls.map(({ now }) => now)).toEqual(["-1006", "-1006", "-1006"]);
      expect(await world.status(order)).toBe("NEW WAITING");
    }
    store().inject("none");
    store().release();
    await world.engine.idle();
    expect(await world.status(order)).toBe("CANCELED CANCELED");
    expect(await world.engine.find({ accountId: 1, clientOrderId: "one" })).toBeDefined();
  });
});

describe("decision CC: a store that does not answer a question", () => {
  it("I71: every read fails in time with -1001, and is never empty", async () => {
    const { world, silent } = await silentWorld();
    const reads: (keyof OrderStore)[] = [
      "findEnded",
      "pageEnded",
      "readEnded",
      "findEndedList",
      "pageEndedLists",
    ];
    for (const name of reads) silent.add(name);
    const page = { accountId: 1, includeHistory: true, newestFirst: false, limit: 10, afterOrderId: 0 };
    const calls = [
      world.engine.find({ accountId: 1, orderId: -256 }),
      world.engine.findAny(-256),
      world.engine.page(page),
      world.engine.findList({ accountId: 1, listId: -256 }),
      world.engine.allLists({ accountId: 1, limit: 10 }),
      world.engine.place({ accountId: 1, order: FIELDS }),
    ].map(outcomeOf);
    await turns();
    await world.clock.advanceBy(hostTimeoutMs);
    expect(calls.map(({ now }) => now)).toEqual(calls.map(() => "-1001"));
  });

  it("I62: a shard that is read again repeats its question, and continues when the store answers", async () => {
    const { world, silent, failing } = await silentWorld();
    const order = await world.place({ price: "100" });
    failing.add("append");
    silent.add("readRecords");
    const placing = outcomeOf(world.engine.place({ accountId: 1, order: FIELDS }));
    await turns();
    expect(placing.now).toBe("waits");
    await world.clock.advanceBy(hostTimeoutMs, () => turns());
    expect([placing.now, world.reported.includes("reload.failed")]).toEqual(["-1006", true]);
    failing.clear();
    silent.clear();
    await world.clock.advanceBy(DEFAULT_SETTINGS.retryMaxMs, () => turns());
    expect(await world.status(order)).toBe("NEW WAITING");
    await expect(world.engine.place({ accountId: 1, order: FIELDS })).resolves.toMatchObject({
      created: true,
    });
  });
});

describe("decision CC: a store that fails an append of many accounts and does not answer the reads after it", () => {
  const ACCOUNTS = Array.from({ length: 20 }, (_, index) => index + 1);
  const OTHER = 30;

  /** How long calls waited; infinite for those that wait still. */
  function waitsIn({ clock }: World): Readonly<{ waits: number[]; note: (call: Promise<unknown>) => void }> {
    const waits: number[] = [];
    const note = (call: Promise<unknown>): void => {
      const index = waits.push(Number.POSITIVE_INFINITY) - 1;
      const sinceMs = clock.monotonicMs();
      const done = (): void => {
        waits[index] = clock.monotonicMs() - sinceMs;
      };
      call.then(done, done);
    };
    return { waits, note };
  }

  it.each(["of the append", "of another account", "a cancel", "a cancel-all"])(
    "keeps no caller waiting for more than twice hostTimeoutMs: %s",
    async (which) => {
      const accounts = createMemoryAccounts([...ACCOUNTS, OTHER].map(accountEntry));
      const { world, silent, failing } = await silentWorld({ accounts });
      const open = await world.place({ price: "50" }, 20);
      failing.add("append");
      for (const name of ["fence", "head", "readSnapshot", "readRecords", "findEnded"] as const)
        silent.add(name);
      const { waits, note } = waitsIn(world);
      for (const account of ACCOUNTS) {
        const placing = world.place({ price: "100" }, account);
        if (which === "of the append") note(placing);
        else placing.catch(() => undefined);
      }
      await turns();
      if (which === "of another account") note(world.place({ price: "100" }, OTHER));
      if (which === "a cancel") note(world.cancel(open));
      if (which === "a cancel-all") note(world.engine.cancelAll(20));
      for (let step = 0; step < 4; step++) await world.clock.advanceBy(hostTimeoutMs, () => turns());
      expect(Math.max(...waits)).toBeLessThanOrEqual(2 * hostTimeoutMs);
      failing.clear();
      silent.clear();
      await world.clock.advanceBy(DEFAULT_SETTINGS.retryMaxMs + hostTimeoutMs, () => turns());
      await expect(world.place({ price: "100" }, 20)).resolves.toBeDefined();
    },
  );
});
