import { expect, it } from "vitest";
import { WorldTime } from "../../world/world-time.ts";

it("no time passes while a call is under way that only needs turns of the event loop", async () => {
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const time = new WorldTime({ startMs: 1_000, turn });
  let endedAtMs = 0;
  time.clock.schedule(2_000, () => {
    const call = async (): Promise<void> => {
      for (let left = 20; left > 0; left--) await turn();
      endedAtMs = time.trueMs;
    };
    void time.timeless(call);
  });
  time.clock.schedule(6_000, () => undefined);
  await time.pass(9_000);
  expect([endedAtMs, time.trueMs]).toEqual([2_000, 10_000]);
});
