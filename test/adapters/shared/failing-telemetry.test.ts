import { describe, expect, it } from "vitest";
import { createManualClock } from "../../../src/adapters/memory/index.ts";
import { QueuedRejections, StoredRateLimiters } from "../../../src/adapters/shared/index.ts";
import { rejectionOf } from "../../../src/conformance/rejections.ts";
import type { Rejection } from "../../../src/ports/index.ts";

const FAILING = {
  "that throws": () => {
    throw new Error("the log is full");
  },
  "whose promise rejects": () => Promise.reject(new Error("the log is full")),
};

describe.each(Object.entries(FAILING))("a telemetry %s", (_, event) => {
  const telemetry = { event };

  it("keeps no rejection from being written after a failed write, and no queue from being flushed", async () => {
    const stored: Rejection[] = [];
    let fails = true;
    const add = (all: readonly Rejection[]): void => {
      if (fails) throw new Error("no database");
      stored.push(...all);
    };
    const rejections = new QueuedRejections({ add, list: () => stored }, { telemetry, capacity: 1 });
    rejections.retain(rejectionOf());
    expect(() => rejections.retain(rejectionOf())).not.toThrow();
    await rejections.flush();
    fails = false;
    rejections.retain(rejectionOf());
    await rejections.flush();
    expect(stored).toHaveLength(1);
    expect(rejections.counts).toEqual({ retained: 1, lost: 2 });
  });

  it("keeps no order from being counted in the store after a failed write, and no limiter from being closed", async () => {
    const written: number[] = [];
    let fails = true;
    const limiters = new StoredRateLimiters(
      {
        ...{ join: () => 1, counts: () => [], bans: () => [], putBans: () => undefined },
        ...{ prune: () => 0, endOfOldest: () => undefined },
        putCounts({ orders }) {
          if (fails) throw new Error("no database");
          written.push(...orders.map((each) => each.orders));
        },
      },
      () => () => undefined,
    );
    const limiter = await limiters.open({ clock: createManualClock({ startMs: 0 }), telemetry });
    limiter.takeOrders({ accountId: 1, count: 1 });
    await limiter.flush();
    fails = false;
    await limiter.flush();
    await limiters.close();
    expect(written).toEqual([1]);
  });
});
