import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../src/adapters/memory/index.ts";
import { formatPrice } from "../../src/decimal/index.ts";
import { turns } from "../support/faulty-world.ts";
import { createGate, type Gate } from "../support/gate.ts";
import { createWorld, INSTRUMENTS, type World } from "../support/world.ts";

const ETH = "ETH/USD";
const TRAIL = { side: "SELL", type: "TRAILING_STOP_MARKET", trailingAmount: "5" } as const;

/** A world whose store deletes marks when the test opens a gate. */
async function slowWorld(): Promise<Readonly<{ world: World; deletions: Gate }>> {
  const deletions = createGate();
  deletions.shut();
  const world = await createWorld({
    settings: { snapshotEvery: 1 },
    store: (disk) => {
      const store = createMemoryStore({ disk });
      return {
        ...store,
        async deleteMarks(marks) {
          await deletions.pass();
          await store.deleteMarks(marks);
        },
      };
    },
  });
  return { world, deletions };
}

describe("while the store deletes marks that no reference needs", () => {
  it.each(["whose market had no mark", "whose market had one"])(
    "I31: the mark of a simultaneous activation stays, %s",
    async (which) => {
      const { world, deletions } = await slowWorld();
      const { market } = world.engine;
      market.quote({ symbol: ETH, bid: "100", ask: "120" });
      await world.quote("99", "120");
      if (which === "whose market had one") {
        const before = await world.place({ ...TRAIL, symbol: ETH });
        market.quote({ symbol: ETH, bid: "101", ask: "120" });
        await world.cancel(before);
      }
      await world.place(TRAIL);
      for (const bid of ["100", "101", "102"]) await world.quote(bid, "120");
      await world.place({ price: "50" });
      for (let tries = 0; tries < 20 && deletions.held === 0; tries++) await turns();
      expect(deletions.held).toBe(1);
      const trail = await world.place({ ...TRAIL, symbol: ETH });
      market.quote({ symbol: ETH, bid: "110", ask: "120" });
      await world.engine.idle();
      await world.place({ ...TRAIL, symbol: ETH });
      market.quote({ symbol: ETH, bid: "107", ask: "120" });
      await world.engine.idle();
      deletions.open();
      await turns(200);
      await world.crash();
      world.engine.market.quote({ symbol: ETH, bid: "105", ask: "120" });
      await world.engine.idle();
      const { trigger, frozen } = await world.order(trail);
      expect([frozen, trigger?.reference === undefined ? undefined : formatPrice(trigger.reference)]).toEqual(
        [undefined, "110"],
      );
    },
  );
});

it("the marks of a market are forgotten also if its instrument is not there any more", async () => {
  const instruments = [...INSTRUMENTS];
  const settings = { snapshotEvery: 1_000 };
  const world = await createWorld({ instruments, settings });
  await world.quote("99", "120");
  const trail = await world.place(TRAIL);
  for (const bid of ["100", "101", "102"]) await world.quote(bid, "120");
  await world.place({ price: "50" });
  const marked = async (): Promise<number> =>
    (await createMemoryStore({ disk: world.disk }).readMarks()).length;
  expect(await marked()).toBeGreaterThan(1);
  instruments.shift();
  settings.snapshotEvery = 1;
  await world.crash();
  await world.cancel(trail);
  await world.engine.idle();
  expect(await marked()).toBeLessThanOrEqual(1);
});
