import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  backupSqliteStore,
  openSqliteStore,
  restoreSqliteStore,
} from "../../../src/adapters/sqlite/index.ts";
import type { ParentOrder } from "../../../src/model/index.ts";
import { OCO, OTO } from "../../support/list-samples.ts";
import { fillOf, reported } from "../../support/scripted-venue.ts";
import { createWorld, type World } from "../../support/world.ts";
import { canBackUp, type TemporaryPlace, temporaryPlace } from "./temporary-place.ts";

const STOP = { side: "SELL", type: "STOP_MARKET", stopPrice: "80" } as const;
const WORD = { by: "ops", why: "compared with the venue" };

let place: TemporaryPlace;
let [backup, restored] = ["", ""];
beforeEach(() => {
  place = temporaryPlace();
  backup = join(place.directory, "backup.db");
  restored = join(place.directory, "restored.db");
});
afterEach(() => place.remove());

async function worldAt(path: string): Promise<World> {
  const world = await createWorld({ store: () => openSqliteStore({ exclusive: false, path }) });
  world.venue.onSubmit = ({ childId, quantity }) =>
    reported(childId, "closed", [fillOf({ quantity, id: childId })]);
  await world.quote("100", "101");
  return world;
}

const sentBy = ({ venue }: World): readonly string[] => venue.submitted.map(({ childId }) => childId);

/** Lives up to a backup, goes on after it, restores the backup, and opens the restored store. */
async function afterRestore<T>(
  before: (world: World) => Promise<T>,
  lost: (world: World, stored: T) => Promise<void>,
): Promise<Readonly<{ world: World; stored: T; lost: readonly string[]; paused: number }>> {
  const old = await worldAt(place.path);
  const stored = await before(old);
  await backupSqliteStore({ path: place.path, to: backup });
  const known = sentBy(old).length;
  await lost(old, stored);
  await old.engine.idle();
  await old.engine.close();
  const { paused } = await restoreSqliteStore({ from: backup, path: restored });
  return { world: await worldAt(restored), stored, lost: sentBy(old).slice(known), paused };
}

describe.skipIf(!canBackUp)("orders of a restored store", () => {
  it("I21: an order that was executed after the backup is not sent again, whatever the market does", async () => {
    const { world, stored, lost, paused } = await afterRestore(
      (old) => old.place({ ...STOP, newClientOrderId: "stop" }),
      (old) => old.quote("79", "80").then(() => undefined),
    );
    expect([lost.length, paused]).toEqual([1, 1]);
    expect(world.reported).toContain("orders.restored");
    await world.quote("79", "80");
    await world.pass(60_000);
    await world.quote("70", "71");
    expect(sentBy(world)).toEqual([]);
    expect((await world.engine.story(stored.orderId))?.waitingFor).toContain("the store was restored");
    await world.crash();
    await world.quote("70", "71");
    expect(sentBy(world), "another opening changes nothing").toEqual([]);
    const children = [{ childId: lost[0] ?? "", fills: [fillOf({ quantity: "1", id: lost[0] ?? "" })] }];
    const settled = await world.engine.resumeOrder({ orderId: stored.orderId, children, ...WORD });
    expect(settled).toMatchObject({ ended: { status: "FILLED" } });
    expect(world.alerts).toEqual([]);
    await world.quote("70", "71");
    expect(sentBy(world)).toEqual([]);
    expect(await world.engine.verify()).toMatchObject({ equal: true });
    await world.engine.close();
  });

  it("goes on with the rest, under ids that no child had, when a person says what the venue executed", async () => {
    const { world, stored, lost } = await afterRestore(
      (old) => old.place({ ...STOP, newClientOrderId: "stop" }),
      async (old) => {
        old.venue.onSubmit = ({ childId }) =>
          reported(childId, "closed", [fillOf({ quantity: "0.4", id: childId })]);
        await old.quote("79", "80");
      },
    );
    const children = [{ childId: lost[0] ?? "", fills: [fillOf({ quantity: "0.4", id: lost[0] ?? "" })] }];
    await world.engine.resumeOrder({ orderId: stored.orderId, children, ...WORD });
    await world.quote("79", "80");
    expect(await world.status(stored)).toBe("FILLED FILLED");
    const [child] = world.venue.submitted;
    expect(child?.quantity).toBe(600_000);
    expect(lost).not.toContain(child?.childId);
    const again = world.engine.resumeOrder({ orderId: stored.orderId, ...WORD });
    await expect(again).rejects.toMatchObject({ problem: "NOT_RESTORED" });
    await world.engine.close();
  });

  it("I15: a report on a lost child counts, once, also before a person has spoken", async () => {
    const { world, stored, lost } = await afterRestore(
      (old) => old.place({ ...STOP, newClientOrderId: "stop" }),
      (old) => old.quote("79", "80").then(() => undefined),
    );
    const report = reported(lost[0] ?? "", "closed", [fillOf({ quantity: "1", id: lost[0] ?? "" })]);
    world.venue.say(report);
    world.venue.say(report);
    await world.engine.idle();
    expect(await world.status(stored)).toBe("FILLED FILLED");
    expect(await world.executed(stored)).toBe("1");
    await world.engine.close();
  });

  it("I05: an id that was given after the backup is not given again, in any shard", async () => {
    const { world, lost } = await afterRestore(
      (old) => old.place({ ...STOP, newClientOrderId: "stop" }),
      async (old) => {
        for (const accountId of [1, 2]) await old.place({ ...STOP, newClientOrderId: "lost" }, accountId);
      },
    );
    expect(lost).toEqual([]);
    for (const accountId of [1, 2]) {
      const order = await world.place({ ...STOP, newClientOrderId: "later" }, accountId);
      expect(order.orderId).toBeLessThan(-(2 ** 32) * 256);
      await world.cancel(order);
    }
    await world.quote("100", "101");
    const next = await world.place({ price: "101", newClientOrderId: "now" });
    await world.quote("100", "101");
    expect(await world.status(next), "new orders work").toBe("FILLED FILLED");
    await world.engine.close();
  });

  it("I40, I41: the legs of a list wait for each other's word, and a leg that won cancels the other", async () => {
    const oco = await afterRestore(
      (old) => old.placeList("oco", OCO),
      (old) => old.quote("111", "112").then(() => undefined),
    );
    const { world, stored, lost } = oco;
    const [loser, winner] = stored.legs as readonly [ParentOrder, ParentOrder];
    const [childId = ""] = lost;
    expect(childId).toContain((-winner.orderId).toString(36));
    await world.engine.resumeOrder({ orderId: loser.orderId, ...WORD });
    await world.quote("111", "112");
    await world.quote("89", "90");
    expect(sentBy(world), "no leg sends while the other may have executed").toEqual([]);
    const children = [{ childId, fills: [fillOf({ quantity: "1", id: childId, price: "111" })] }];
    await world.engine.resumeOrder({ orderId: winner.orderId, children, ...WORD });
    expect([await world.status(winner), await world.status(loser)]).toEqual([
      "FILLED FILLED",
      "CANCELED CANCELED",
    ]);
    await world.engine.close();
  });

  it("I41: an exit that was released and executed after the backup is paused too", async () => {
    const { world, stored, lost } = await afterRestore(
      (old) => old.placeList("oto", OTO),
      async (old) => {
        await old.quote("99", "100");
        await old.quote("89", "90");
      },
    );
    expect(lost).toHaveLength(2);
    const [entry, exit] = stored.legs as readonly [ParentOrder, ParentOrder];
    const children = [{ childId: lost[0] ?? "", fills: [fillOf({ quantity: "1", id: "entry" })] }];
    await world.engine.resumeOrder({ orderId: entry.orderId, children, ...WORD });
    await world.quote("89", "90");
    expect(sentBy(world)).toEqual([]);
    await world.engine.close();
    expect(exit.orderId).not.toBe(entry.orderId);
  });

  it("pauses nothing with pause: false, for a store that was closed before the backup", async () => {
    const old = await worldAt(place.path);
    const stop = await old.place({ ...STOP, newClientOrderId: "stop" });
    await old.engine.close();
    await backupSqliteStore({ path: place.path, to: backup });
    expect(await restoreSqliteStore({ from: backup, path: restored, pause: false })).toMatchObject({
      paused: 0,
    });
    const world = await worldAt(restored);
    await world.quote("79", "80");
    expect(await world.status(stop)).toBe("FILLED FILLED");
    await world.engine.close();
  });

  it.each([
    [{ orderId: 5 }, "UNREADABLE"],
    [{ children: [{ childId: "aqc-1-1-1", fills: [] }] }, "NO_SUCH_CHILD"],
    [{ children: [{ childId: "mine" }] }, "UNREADABLE"],
    [{ by: "" }, "UNREADABLE"],
    [{ orderId: -999_999 }, "NOT_RESTORED"],
  ])("refuses %j as %s", async (wrong, problem) => {
    const { world, stored } = await afterRestore(
      (old) => old.place({ ...STOP, newClientOrderId: "stop" }),
      async () => undefined,
    );
    const answer = { orderId: stored.orderId, ...WORD, ...wrong };
    await expect(world.engine.resumeOrder(answer as never)).rejects.toMatchObject({ problem });
    await world.engine.close();
  });
});
