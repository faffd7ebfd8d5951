import { expect, it } from "vitest";
import { type Engine, HandOverError, type StatusKind } from "../../src/engine/index.ts";
import { drained, handedOver, replaced } from "../../src/sandbox/node-ends.ts";

/** An engine of which a test says what is the matter. */
function engineWith(...kinds: StatusKind[]): {
  engine: Engine;
  say: (change: StatusKind) => void;
} {
  const listeners = new Set<(update: { change: string }) => void>();
  const engine = {
    status: () => ({ reasons: kinds.map((kind) => ({ kind, detail: "" })) }),
    events: {
      on: (_name: string, listener: (update: { change: string }) => void) => listeners.add(listener),
    },
  };
  return {
    engine: engine as unknown as Engine,
    say(change) {
      kinds.push(change);
      for (const listener of listeners) listener({ change });
    },
  };
}

const isSettled = async (promise: Promise<unknown>): Promise<boolean> =>
  await Promise.race([
    promise.then(() => true),
    new Promise<boolean>((resolve) => setImmediate(resolve, false)),
  ]);

it.each(["LEASE_LOST", "SHARD_FENCED"] as const)(
  "%s says that the orders belong to other processes, also before it was asked",
  async (kind) => {
    const { engine, say } = engineWith();
    const later = replaced(engine);
    say("LEASE_LAPSED");
    expect(await isSettled(later)).toBe(false);
    say(kind);
    expect(await isSettled(later)).toBe(true);
    expect(await isSettled(replaced(engineWith(kind).engine))).toBe(true);
  },
);

it("a sandbox hands over each time an operator wants it, until it has", async () => {
  const { engine, say } = engineWith("HAND_OVER_WANTED");
  const answers = [false, true];
  let requested = 0;
  const ended = drained(engine, async () => answers[requested++] ?? false);
  expect([await isSettled(ended), requested]).toEqual([false, 1]);
  say("HAND_OVER_WANTED");
  expect([await isSettled(ended), requested]).toEqual([true, 2]);
});

it("a hand-over that fails otherwise ends the sandbox with that error", async () => {
  const { engine } = engineWith("HAND_OVER_WANTED");
  await expect(drained(engine, () => Promise.reject(new Error("the store is gone")))).rejects.toThrow("gone");
});

it("an exchange is closed after a hand-over, and goes on if no other node takes its shards", async () => {
  let closed = 0;
  const exchange = (handOver: () => Promise<unknown>): Parameters<typeof handedOver>[0] => ({
    engine: { handOver } as unknown as Engine,
    close: async () => void closed++,
  });
  expect(await handedOver(exchange(async () => undefined))).toBe(true);
  expect(closed).toBe(1);
  const alone = exchange(() =>
    Promise.reject(new HandOverError("NO_STANDBY", "there is no other live node")),
  );
  expect(await handedOver(alone)).toBe(false);
  expect(closed).toBe(1);
  await expect(handedOver(exchange(() => Promise.reject(new Error("other"))))).rejects.toThrow("other");
});
