import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  backupSqliteStore,
  openSqliteStore,
  restoreSqliteStore,
} from "../../../src/adapters/sqlite/index.ts";
import { fillOf, reported } from "../../support/scripted-venue.ts";
import { createWorld, type World } from "../../support/world.ts";
import { canBackUp, type TemporaryPlace, temporaryPlace } from "./temporary-place.ts";

const STOP = { side: "SELL", type: "STOP_MARKET", stopPrice: "80" } as const;

let place: TemporaryPlace;
beforeEach(() => {
  place = temporaryPlace();
});
afterEach(() => place.remove());

async function worldAt(path: string): Promise<World> {
  const world = await createWorld({ store: () => openSqliteStore({ path }) });
  world.venue.onSubmit = ({ childId, quantity }) =>
    reported(childId, "closed", [fillOf({ quantity, id: childId })]);
  await world.quote("100", "101");
  return world;
}

describe.runIf(canBackUp)("decision TE: what happened after the backup", () => {
  it("an order that was open in it sends its child again under the same id; ids of later orders are given again", async () => {
    const [backup, restored] = [join(place.directory, "backup.db"), join(place.directory, "restored.db")];
    const before = await worldAt(place.path);
    const stop = await before.place({ ...STOP, newClientOrderId: "stop" });
    await backupSqliteStore({ path: place.path, to: backup });
    const lost = await before.place({ ...STOP, newClientOrderId: "lost" });
    await before.quote("79", "80");
    await before.engine.idle();
    const sent = before.venue.submitted.map(({ childId }) => childId);
    expect(sent).toHaveLength(2);
    await before.engine.close();

    await restoreSqliteStore({ from: backup, path: restored });
    const after = await worldAt(restored);
    const later = await after.place({ ...STOP, newClientOrderId: "later" });
    expect(later.orderId).toBe(lost.orderId);
    await after.cancel(later);
    await after.quote("79", "80");
    await after.engine.idle();
    expect(await after.status(stop)).toBe("FILLED FILLED");
    expect(after.venue.submitted.map(({ childId }) => childId)).toEqual([sent[0]]);
    await after.engine.close();
  });
});
