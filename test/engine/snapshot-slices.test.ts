import { describe, expect, it } from "vitest";
import {
  createManualClock,
  createMemoryDisk,
  createMemoryExposure,
  createMemoryInstruments,
  createMemoryStore,
} from "../../src/adapters/memory/index.ts";
import { coreOf } from "../../src/engine/core/core.ts";
import { timely } from "../../src/engine/core/stored.ts";
import { Shard } from "../../src/engine/shards/shard.ts";
import { shardOf } from "../../src/lifecycle/index.ts";
import { orderIntent } from "../../src/requests/index.ts";
import { createHeldTurns, type HeldTurns } from "../support/held-turns.ts";
import { createScriptedVenue } from "../support/scripted-venue.ts";
import { INSTRUMENTS, START_MS, SYMBOL } from "../support/world.ts";

type Subject = Readonly<{
  shard: Shard;
  held: HeldTurns;
  accept: () => Promise<void>;
  takeOver: () => Promise<void>;
}>;

/** A shard with 20 durable parents, and turns of four parents each. */
async function subject(): Promise<Subject> {
  const disk = createMemoryDisk();
  const store = createMemoryStore({ disk });
  const held = createHeldTurns(1);
  const core = coreOf({
    store,
    instruments: createMemoryInstruments(INSTRUMENTS),
    accounts: { key: () => undefined, account: () => undefined },
    exposure: createMemoryExposure(),
    venue: createScriptedVenue(),
    clock: createManualClock({ startMs: START_MS }),
    entropy: { token: (length) => "t".repeat(length) },
    settings: { snapshotEvery: 1 },
  });
  const head = (await store.acquire())[shardOf(1)];
  if (head === undefined) throw new Error("the store has no such shard");
  core.effects.connect({ run: () => undefined });
  const shard = new Shard(
    head,
    { ...core, turns: held.turns },
    { deadlines: { notAfterMs: () => START_MS }, reads: timely(core) },
  );
  await shard.load();
  let accepted = 0;
  const accept = async (): Promise<void> => {
    const intent = orderIntent({
      ...{ symbol: SYMBOL, side: "BUY", type: "SYNTHETIC_LIMIT", quantity: "1", price: "100" },
      newClientOrderId: `order-${++accepted}`,
    });
    shard.accept({ accountId: 1, timeMs: START_MS, parents: [{ intent, admission: {} }] });
    const pending = shard.pending.takeWhile(() => true);
    await store.append({ shards: [shard.appendOf(pending, [])] });
    for (const record of pending) shard.settle(record);
  };
  for (let n = 0; n < 20; n++) await accept();
  return { shard, held, accept, takeOver: async () => void (await createMemoryStore({ disk }).acquire()) };
}

describe("decision HH: a snapshot gathered in slices", () => {
  it("is as of the record at which it began, and leaves out later ones", async () => {
    const { shard, held, accept } = await subject();
    const snapshot = shard.snapshot();
    expect(held.isAwaited()).toBe(true);
    await accept();
    await held.run();
    expect(await snapshot).toMatchObject({ sequence: 20, counter: 20 });
    expect((await snapshot)?.parents).toHaveLength(20);
    expect(shard.isSnapshotDue).toBe(true);
  });

  it("is abandoned if the shard is read again, and due again then", async () => {
    const { shard, held } = await subject();
    const snapshot = shard.snapshot();
    await held.pass();
    const reloading = shard.reload([], true);
    await held.run();
    await reloading;
    expect(shard.state).toBe("running");
    expect(await snapshot).toBeUndefined();
    expect(shard.isSnapshotDue).toBe(true);
  });

  it("is abandoned if another engine takes the shard over, or if the engine is closed", async () => {
    const fenced = await subject();
    const first = fenced.shard.snapshot();
    await fenced.takeOver();
    await fenced.shard.confirm();
    await fenced.held.run();
    expect(await first).toBeUndefined();
    const closed = await subject();
    const second = closed.shard.snapshot();
    closed.shard.close();
    await closed.held.run();
    expect(await second).toBeUndefined();
  });
});
