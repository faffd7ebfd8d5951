import { expect, it } from "vitest";
import { serverTime } from "../../../src/sandbox/console/market-feed.ts";

it.each([
  [true, 5_250],
  [false, 5_000],
])(
  "the time of the service does not depend on the clock of the browser; it passes: %s",
  (passes, expected) => {
    let monotonicMs = 100;
    const nowMs = serverTime(5_000, passes, () => monotonicMs);
    monotonicMs = 350;
    expect(nowMs()).toBe(expected);
  },
);
