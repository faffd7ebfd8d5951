import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../src/adapters/memory/index.ts";
import type { OrderStore } from "../../src/ports/index.ts";
import { createOpeningWorld } from "../support/opening-world.ts";
import { createWorld, type World } from "../support/world.ts";

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

describe("decision CC: an opening ends if its store does not answer", () => {
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

describe("decision CC: a long answer at an opening", () => {
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

describe("decision CC: an append that is never answered", () => {
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

describe("decision CC: a store that falls silent", () => {
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
