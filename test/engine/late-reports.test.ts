import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../src/adapters/memory/index.ts";
import type { ParentOrder } from "../../src/model/index.ts";
import { turns } from "../support/faulty-world.ts";
import { createGate } from "../support/gate.ts";
import { fillOf, reported } from "../support/scripted-venue.ts";
import { createWorld, type World } from "../support/world.ts";

/** An order whose child was closed unfilled, and executions of it that come later. */
async function orderOfClosedChild(
  world: World,
): Promise<Readonly<{ order: ParentOrder; say: (id: string) => Promise<void> }>> {
  const order = await world.place({ price: "100" });
  world.venue.onSubmit = ({ childId }) => reported(childId, "closed");
  await world.quote("99", "100");
  const [{ childId = "" } = {}] = world.venue.submitted;
  return {
    order,
    async say(id) {
      world.venue.say(reported(childId, "closed", [fillOf({ quantity: "0.1", id })]));
      await turns();
    },
  };
}

describe("decision 11, I10: late executions of an order that has just ended", () => {
  it("all count, also if the store reads the order while the record of an earlier one is under way", async () => {
    const [appends, reads] = [createGate(), createGate()];
    const world = await createWorld({
      store: (disk) => {
        const store = createMemoryStore({ disk });
        return {
          ...store,
          async append(batch) {
            await appends.pass();
            return await store.append(batch);
          },
          async readEnded(range) {
            const rows = await store.readEnded(range);
            await reads.pass();
            return rows;
          },
        };
      },
    });
    const { order, say } = await orderOfClosedChild(world);
    appends.shut();
    reads.shut();
    const canceled = world.cancel(order);
    await new Promise(setImmediate);
    await say("first");
    appends.release();
    await canceled;
    await say("second");
    appends.open();
    await turns();
    reads.open();
    await world.engine.idle();
    expect([...(await world.order(order)).executions].sort()).toEqual(["1 first", "1 second"]);
    expect((await world.engine.verify()).equal).toBe(true);
  });

  it("all count, also if the append of an earlier one arrives late, and the store has been asked for the order before", async () => {
    const appends = createGate();
    let arrive: (() => Promise<unknown>) | undefined;
    let isAway = false;
    const world = await createWorld({
      store: (disk) => {
        const store = createMemoryStore({ disk });
        return {
          ...store,
          async append(batch) {
            await appends.pass();
            if (!isAway) return await store.append(batch);
            arrive = () => store.append(batch);
            throw new Error("the connection is lost");
          },
          async fence(round) {
            if (isAway) throw new Error("the connection is lost");
            await arrive?.();
            await store.fence(round);
          },
        };
      },
    });
    const { order, say } = await orderOfClosedChild(world);
    appends.shut();
    const canceled = world.cancel(order);
    await new Promise(setImmediate);
    await say("first");
    appends.release();
    await canceled;
    await say("second");
    isAway = true;
    appends.open();
    await turns(500);
    isAway = false;
    await world.pass(10_000);
    expect([...(await world.order(order)).executions].sort()).toEqual(["1 first", "1 second"]);
    expect(await world.executed(order)).toBe("0.2");
    expect((await world.facts(order)).filter((fact) => fact === "FILLED")).toHaveLength(2);
    expect((await world.engine.verify()).equal).toBe(true);
  });
});
