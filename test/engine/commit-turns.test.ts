import { expect, it } from "vitest";
import { createWorld } from "../support/world.ts";

const MOST = 2_000;

it("decision IA: callers that place again as soon as they are answered leave turns to others", async () => {
  const world = await createWorld({
    clock: (clock) => ({ ...clock, soon: (run) => void setImmediate(run) }),
  });
  let placed = 0;
  let turns = 0;
  let over = false;
  const look = (): void => {
    turns++;
    if (!over) setImmediate(look);
  };
  setImmediate(look);
  const caller = async (): Promise<void> => {
    for (let n = 0; n < MOST / 8 && turns < 20; n++) {
      await world.place({ price: "20" });
      placed++;
    }
  };
  await Promise.all(Array.from({ length: 8 }, caller));
  over = true;
  expect(turns).toBeGreaterThanOrEqual(20);
  expect(placed).toBeLessThan(MOST / 4);
});
