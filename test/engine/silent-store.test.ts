import { describe, expect, it } from "vitest";
import { createMemoryAccounts, createMemoryStore } from "../../src/adapters/memory/index.ts";
import { DEFAULT_SETTINGS } from "../../src/engine/index.ts";
import type { OrderStore } from "../../src/ports/index.ts";
import type { OrderFields } from "../../src/requests/index.ts";
import { createFaultyWorld, turns } from "../support/faulty-world.ts";
import { createOpeningWorld } from "../support/opening-world.ts";
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

describe("a store that does not answer an append", () => {
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

describe("a store that does not answer a question", () => {
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

describe("a store that fails an append of many accounts and does not answer the reads after it", () => {
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

type Question = Exclude<keyof OrderStore, "close">;

const HOUR_MS = 3_600_000;
const never = (): Promise<never> => new Promise(() => undefined);

/** A store that stops answering some questions on request of a test; `requested` counts those. */
function silent(store: OrderStore) {
  const dumb = new Set<Question>();
  const requested = new Map<Question, number>();
  const received = Object.entries(store).map(([name, answer]) => [
    name,
    (...given: readonly unknown[]): unknown => {
      requested.set(name as Question, (requested.get(name as Question) ?? 0) + 1);
      return dumb.has(name as Question)
        ? never()
        : (answer as (...all: readonly unknown[]) => unknown)(...given);
    },
  ]);
  return { store: Object.fromEntries(received) as OrderStore, dumb, requested };
}

/** The result of a promise as time passes; "waits" if it has no answer after a minute. */
async function fate(world: Pick<World, "clock">, requested: Promise<unknown>): Promise<string> {
  let reported = "waits";
  requested.then(
    () => (reported = "answered"),
    (error: Error) => (reported = `${error.name}: ${error.message}`),
  );
  for (let second = 0; second < 60 && reported === "waits"; second++) await world.clock.advanceBy(1_000);
  return reported;
}

const SILENT = "SilentHost: no answer within 5000 ms";

describe("an opening ends if its store does not answer", () => {
  it.each([
    "acquire",
    "readMarks",
    "readVolume",
    "readQuotes",
    "head",
    "readSnapshot",
    "readRecords",
  ] as const)("%s", async (question) => {
    const world = createOpeningWorld();
    const first = await world.open({ settings: { advancedOrders: true } });
    const order = {
      symbol: "BTC/USD",
      side: "BUY",
      type: "SYNTHETIC_LIMIT",
      quantity: "1",
      price: "100",
    } as const;
    await first.place({ accountId: 1, order: { ...order, newClientOrderId: "a" } });
    const { store, dumb } = silent(createMemoryStore({ disk: world.disk }));
    dumb.add(question);
    expect(await fate(world, world.open({ store }))).toBe(SILENT);
    dumb.clear();
    expect(await fate(world, world.open({ store }))).toBe("answered");
  });
});

describe("a long answer at an opening", () => {
  it("that reports progress after each part does not count as silent", async () => {
    const world = createOpeningWorld();
    const memory = createMemoryStore({ disk: world.disk });
    const readVolume = async (reading?: () => void) => {
      for (let part = 0; part < 4; part++) {
        await new Promise<void>((resolve) =>
          world.clock.schedule(world.clock.monotonicMs() + 4_000, resolve),
        );
        reading?.();
      }
      return memory.readVolume();
    };
    expect(await fate(world, world.open({ store: { ...memory, readVolume } }))).toBe("answered");
  });
});

describe("an append that is never answered", () => {
  const FIELDS = {
    symbol: "BTC/USD",
    side: "BUY",
    type: "SYNTHETIC_LIMIT",
    quantity: "1",
    price: "90",
  } as const;

  it.each([
    ["was lost in flight", false],
    ["arrives later, behind the fence", true],
  ])(
    "one that %s stops its shard for 12 times the deadline, and no other; then the shard is read and continues",
    async (_what, arrives) => {
      let reach: (() => Promise<unknown>) | undefined;
      let lose = false;
      const world = await createWorld({
        store: (disk) => {
          const store = createMemoryStore({ disk });
          const append: OrderStore["append"] = (batch) => {
            if (!lose) return store.append(batch);
            lose = false;
            reach = () => store.append(batch);
            return never();
          };
          return { ...store, append };
        },
      });
      const { hostTimeoutMs } = world.engine.settings;
      const [stored, other] = [await world.place({ price: "80" }), await world.place({ price: "80" }, 2)];
      lose = true;
      const lost = world.engine.place({ accountId: 1, order: { ...FIELDS, newClientOrderId: "a" } });
      expect(await fate(world, lost)).toMatch(/^OrderError: .*status unknown/);
      const cancel = world.engine.cancel({ accountId: 1, orderId: stored.orderId });
      const held = expect(cancel).rejects.toMatchObject({ code: -1006 });
      await world.cancel(other);
      await world.clock.advanceBy(11 * hostTimeoutMs);
      await held;
      await world.clock.advanceBy(hostTimeoutMs, () => world.engine.idle());
      expect(world.reported).toContain("append.failed");
      if (arrives) expect(await reach?.()).toEqual(["fenced"]);
      const again = await world.engine.place({ accountId: 1, order: { ...FIELDS, newClientOrderId: "a" } });
      expect(again.created).toBe(true);
      expect(await world.status(other)).toBe("CANCELED CANCELED");
      expect((await world.cancel(stored)).ended?.status).toBe("CANCELED");
      expect((await world.engine.verify()).equal).toBe(true);
    },
  );
});

describe("a store that falls silent", () => {
  async function opened(
    settings = {},
  ): Promise<Readonly<{ world: World }> & Omit<ReturnType<typeof silent>, "store">> {
    const made: ReturnType<typeof silent>[] = [];
    const world = await createWorld({
      settings,
      store: (disk) => {
        const one = silent(createMemoryStore({ disk }));
        made.push(one);
        return one.store;
      },
    });
    const [{ dumb, requested } = silent(createMemoryStore())] = made;
    return { world, dumb, requested };
  }

  it.each(["readMarks", "readQuotes", "readVolume", "readRecords", "readSnapshot", "readEnded"] as const)(
    "ends a verification: %s",
    async (question) => {
      const { world, dumb } = await opened();
      const order = await world.place({ price: "100" });
      await world.cancel(order);
      expect((await world.engine.verify()).equal).toBe(true);
      dumb.add(question);
      expect(await fate(world, world.engine.verify())).toBe(SILENT);
      dumb.clear();
      expect((await world.engine.verify()).equal).toBe(true);
    },
  );

  it("an unanswered snapshot does not stop other work", async () => {
    const { world, dumb, requested } = await opened({ snapshotEvery: 1 });
    dumb.add("writeSnapshot");
    await world.place({ price: "50" });
    await world.pass(1_000);
    expect([requested.get("writeSnapshot"), world.reported.includes("housekeeping.failed")]).toEqual([
      1,
      false,
    ]);
    await world.place({ price: "50" }, 2);
    expect(requested.get("writeSnapshot")).toBe(1);
    await world.pass(6_000);
    expect([requested.get("writeSnapshot"), world.reported.includes("housekeeping.failed")]).toEqual([
      2,
      true,
    ]);
    await world.pass(HOUR_MS);
    expect([requested.get("deleteEnded"), requested.get("deleteVolume")]).toEqual([1, 1]);
    expect((await world.engine.verify()).equal).toBe(true);
  });

  it.each(["deleteEnded", "deleteVolume"] as const)(
    "%s is requested again an hour later",
    async (question) => {
      const { world, dumb, requested } = await opened();
      dumb.add(question);
      for (const times of [1, 2]) {
        await world.pass(HOUR_MS);
        expect(requested.get(question)).toBe(times);
      }
      expect(world.reported).toContain("housekeeping.failed");
      dumb.clear();
      await world.pass(HOUR_MS);
      await world.pass(HOUR_MS);
      expect(requested.get("deleteVolume")).toBeGreaterThanOrEqual(2);
    },
  );

  it("a question that takes long and reports progress does not count as silent", async () => {
    const worked: string[] = [];
    let say: () => void = () => undefined;
    const world = await createWorld({
      settings: { snapshotEvery: 1 },
      store: (disk) => {
        const store = createMemoryStore({ disk });
        return {
          ...store,
          writeSnapshot: (_snapshot, writing) => {
            return new Promise((resolve) => {
              say = () => {
                worked.push("part");
                if (worked.length < 5) writing?.();
                else resolve();
              };
            });
          },
        };
      },
    });
    await world.place({ price: "50" });
    for (let part = 0; part < 6; part++) {
      await world.pass(4_000);
      say();
    }
    await world.pass(10_000);
    expect([worked.length, world.reported.includes("housekeeping.failed")]).toEqual([6, false]);
  });
});
