import { describe, expect, it } from "vitest";
import { createManualClock } from "../../src/adapters/memory/index.ts";
import { RefusedError } from "../../src/client/errors/refused-error.ts";
import { pause } from "../../src/client/http/deadline.ts";
import { again } from "../../src/client/socket/again.ts";
import { control } from "../../src/client/socket/control.ts";
import type { Link } from "../../src/client/socket/link.ts";

describe("pauses of the client", () => {
  it("end by their own time on a clock that moves between two readings of it", async () => {
    const clock = createManualClock({ startMs: 0 });
    const { monotonicMs } = clock;
    let readings = 0;
    const slow = { ...clock, monotonicMs: () => monotonicMs() + 2 * readings++ };
    const paused = pause(slow, 250, undefined);
    await clock.advanceBy(1_000);
    await expect(paused).resolves.toBeUndefined();
  });

  it.each([
    [-1003, "passes"],
    [-1001, "passes"],
    [-2035, "passes"],
    [-2036, "passes"],
    [-2042, "passes"],
    [2, "ends"],
    [-1121, "ends"],
  ])("decision LK: a control frame that is refused with %d %s", async (code, outcome) => {
    const clock = createManualClock({ startMs: 0 });
    const platform = { clock, random: () => 0.5 } as never;
    const replies = [{ code, msg: "refused" }];
    const link = { request: async () => replies.shift() ?? {} } as unknown as Link;
    const controller = new AbortController();
    const session = async (): Promise<never> => {
      await control(link, { method: "SUBSCRIBE", streams: ["btcusd@trade"] }, { timeoutMs: 1 });
      controller.abort();
      throw new Error("subscribed");
    };
    const ended = again(platform, session, controller.signal).catch((error: unknown) => error);
    await clock.advanceBy(60_000);
    const why = await ended;
    if (outcome === "ends") expect(why).toBeInstanceOf(RefusedError);
    else expect(why).toMatchObject({ message: "subscribed" });
  });
});
