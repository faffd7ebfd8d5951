import { describe, expect, it } from "vitest";
import type { Quantity } from "../../src/decimal/index.ts";
import type { Core } from "../../src/engine/core/core.ts";
import type { LiveOrder } from "../../src/engine/core/live-order.ts";
import { ExposureTracker } from "../../src/engine/eligibility/exposure-tracker.ts";
import type { Shards } from "../../src/engine/shards/shards.ts";
import type { ParentOrder } from "../../src/model/index.ts";

const order = { orderId: -256, accountId: 1, intent: { symbol: "BTC/USD", side: "SELL" } } as ParentOrder;
const newLive = (): LiveOrder => ({ working: order, durable: order }) as unknown as LiveOrder;

/** A parent whose position was asked for, and the host that has not answered yet. */
function requesting() {
  let live = newLive();
  const emitted: string[] = [];
  const answers: { resolve: (position: Quantity) => void; reject: (error: Error) => void }[] = [];
  const core = {
    monotonicMs: () => 0,
    executions: { noted: 0, shown: (_: unknown, { position }: { position: Quantity }) => position },
    effects: { emit: ({ kind }: { kind: string }) => emitted.push(kind) },
    telemetry: { event: () => undefined },
  } as unknown as Core;
  const shard = {
    post: (run: () => void) => run(),
    memory: {
      account: () => ({
        sums: { of: () => ({ executed: 0, durable: 0, reserved: 0 }), isSettled: () => false },
      }),
    },
  };
  const shards = { live: () => live, ofOrder: () => shard } as unknown as Shards;
  const position = (): Promise<Quantity> =>
    new Promise((resolve, reject) => answers.push({ resolve, reject }));
  const tracker = new ExposureTracker(core, { position } as never, {
    shards,
    timers: { after: () => () => undefined } as never,
  });
  tracker.measure(order);
  const readAgain = (): void => {
    live = newLive();
  };
  return { emitted, answers, readAgain };
}

describe("I62: a parent waits for a position of the host", () => {
  it("meets the market again when the position cannot be read", async () => {
    const { emitted, answers } = requesting();
    answers[0]?.reject(new Error("away"));
    await Promise.resolve();
    expect(emitted).toEqual(["REARM"]);
  });

  it.each(["fails", "comes"])(
    "after its shard was read again, it does nothing when the answer %s",
    async (how) => {
      const { emitted, answers, readAgain } = requesting();
      readAgain();
      // The shard has armed the new object, which may be in another state: the former must not take it out of the book.
      if (how === "fails") answers[0]?.reject(new Error("away"));
      else answers[0]?.resolve(1 as Quantity);
      await Promise.resolve();
      expect(emitted).toEqual([]);
    },
  );
});
