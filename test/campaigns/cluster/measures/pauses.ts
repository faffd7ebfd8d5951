import { setTimeout as sleep } from "node:timers/promises";
import { createSystemClock } from "../../../../src/adapters/node/index.ts";
import {
  openPostgresCluster,
  openPostgresStore,
  type PostgresCluster,
} from "../../../../src/adapters/postgres/index.ts";
import { drainNode, moveShards } from "../../../../src/cluster/index.ts";
import { accountIn } from "../../../bench/bench-engine.ts";
import { keepResting } from "../../../bench/burst-stores.ts";
import { medianOf } from "../../../bench/measure.ts";
import { rowOfProcess, type Slot, Stack } from "../stack.ts";
import { LONGEST_MS, type MeasureOptions, settingsOf } from "./measure-options.ts";
import { type Pause, printPauses } from "./pause-table.ts";
import { openPlacers, ownersIn, type Placer, Placing, someShards } from "./placing.ts";

const NODES = 3;
const PARENTS = 100_000;
const SMALL_PARENTS = 3_000;
const ACCOUNTS = 15;

/** Pause between two placements of an account. The orders expire, so that their number does not grow. */
const EVERY_MS = 40;
const LIFE_MS = 5_000;

/** An operator moves so many shards at once: shares differ so little afterwards that no node makes them even again. */
const MOVED_AT_ONCE = 3;

/** Longest time that is watched without an event. */
const LONGEST_QUIET_MS = 10_000;

const LOOK_EVERY_MS = 50;

/** A cluster under load, and where its shards are written down. */
type World = Readonly<{
  stack: Stack;
  cluster: PostgresCluster;
  placers: readonly Placer[];
  placing: Placing;
  ttlMs: number;
}>;

/** Makes shards change their owners. Resolves when the new owners have them. */
type Event = (world: World, from: Slot, to: Slot) => Promise<void>;

/** The events of a round in their order, with what is told of them. */
const ROUND: readonly (readonly [name: string, event: Event])[] = [
  ["an operator moves shards", (world, from, to) => moveAccounts(world, from, to)],
  ["an operator moves shards", (world, from, to) => moveAccounts(world, to, from)],
  ["a node is drained", drain],
  ["a node joins", join],
  ["a node is killed", kill],
  ["a node joins", join],
];

/**
 * Measures for how long accounts are without service when their shards change the owner: the longest time between two
 * accepted placements around the event, and the same without an event, and of the accounts whose shards stay.
 */
export async function measurePauses(options: MeasureOptions): Promise<void> {
  const { binaries, rounds, ttlMs, isSmall, say } = options;
  const shards = someShards(ACCOUNTS);
  const parents = isSmall ? SMALL_PARENTS : PARENTS;
  const stack = await Stack.open({
    ...{ nodes: NODES, shares: true, binaries, market: "manual", settings: settingsOf(options) },
    fill: (url) => fill(url, parents, shards),
  });
  const cluster = await openPostgresCluster({ url: stack.server.url() });
  try {
    await stack.even(LONGEST_MS);
    const placers = await openPlacers(stack, shards);
    const urlFor = (): string => stack.frontUrl;
    const placing = new Placing({ placers, urlFor, everyMs: EVERY_MS, lifeMs: LIFE_MS });
    const pauses: Pause[] = [];
    for (let round = 0; round < rounds; round++) {
      for (const [name, event] of ROUND) {
        const found = await pausesAround({ stack, cluster, placers, placing, ttlMs }, round, event);
        pauses.push(...found.map((pause) => ({ ...pause, event: name })));
        say(`${round + 1} of ${rounds}: ${name}`);
      }
    }
    await placing.stop();
    printPauses(pauses, { parents, accounts: ACCOUNTS, ttlMs });
  } finally {
    await cluster.close();
    await stack.close();
  }
}

/** Writes open parents of the accounts, as nodes before have left them. */
async function fill(url: string, parents: number, shards: readonly number[]): Promise<void> {
  const store = await openPostgresStore({ url, connectTimeoutMs: 20_000 });
  await keepResting(store, { parents, shards, accountOf: accountIn });
  await store.close();
}

/** Makes an event under load, and watches the accounts for about as long without one. */
async function pausesAround(
  world: World,
  round: number,
  event: Event,
): Promise<readonly Omit<Pause, "event">[]> {
  const { cluster, placing, placers, stack } = world;
  const [from, to] = [0, 1].map((n) => stack.slots[(round + n) % stack.slots.length] as Slot) as [Slot, Slot];
  await settled(world);
  const before = await cluster.leases.nodes();
  const begunMs = performance.now();
  const around = await placing.watch(() => event(world, from, to));
  const lengthMs = performance.now() - begunMs;
  await settled(world);
  const after = await cluster.leases.nodes();
  const quiet = await placing.watch(() => sleep(Math.min(lengthMs, LONGEST_QUIET_MS)));
  const hasMoved = ({ shard }: Placer): boolean =>
    before.shards[shard]?.incarnation !== after.shards[shard]?.incarnation;
  const timesOf = (those: readonly Placer[]): readonly number[] =>
    those.map(({ accountId }) => around.get(accountId) ?? Number.NaN);
  const stayedMs = medianOf(timesOf(placers.filter((placer) => !hasMoved(placer))));
  return placers.map((placer) => ({
    moved: hasMoved(placer),
    aroundMs: around.get(placer.accountId) ?? Number.NaN,
    stayedMs,
    quietMs: quiet.get(placer.accountId) ?? Number.NaN,
  }));
}

/** Resolves when no shard has changed its owner or is on its way for a ttl. */
async function settled({ cluster, ttlMs }: World): Promise<void> {
  let [owners, sinceMs] = ["", performance.now()];
  while (performance.now() - sinceMs < ttlMs) {
    const { shards } = await cluster.leases.nodes();
    const now = shards.map(({ incarnation, next }) => `${incarnation} ${next}`).join();
    if (now !== owners) [owners, sinceMs] = [now, performance.now()];
    await sleep(LOOK_EVERY_MS);
  }
}

/** Moves the shards of some accounts, as `managed-orders cluster move` does. */
async function moveAccounts(world: World, from: Slot, to: Slot): Promise<void> {
  const { cluster, placers, stack } = world;
  const owners = ownersIn(await cluster.leases.nodes(), stack);
  const own = placers.map(({ shard }) => shard).filter((shard) => owners.get(shard)?.slot === from);
  const incarnation = await incarnationOf(world, to);
  const shards = own.slice(0, MOVED_AT_ONCE);
  const outcome = await moveShards({
    leases: cluster.leases,
    clock: createSystemClock(),
    shards,
    incarnation,
  });
  if (outcome.kind !== "moved") throw new Error(`the shards did not move: ${JSON.stringify(outcome)}`);
}

/** Drains a node, as `managed-orders cluster drain` does. */
async function drain(world: World, slot: Slot): Promise<void> {
  const { process } = slot;
  const { leases } = world.cluster;
  const incarnation = await incarnationOf(world, slot);
  const outcome = await drainNode({ leases, clock: createSystemClock(), incarnation });
  if (outcome.kind !== "drained") throw new Error(`${slot.name} was not drained: ${JSON.stringify(outcome)}`);
  await process?.ended;
}

/** Starts the process of a node that has none, and waits until it has its part of the shards. */
async function join({ stack }: World): Promise<void> {
  await stack.restart();
  await stack.even(LONGEST_MS);
}

async function kill({ stack }: World, slot: Slot): Promise<void> {
  await slot.process?.kill();
  await stack.taken(slot);
}

async function incarnationOf({ cluster }: World, { name, process }: Slot): Promise<number> {
  const row = rowOfProcess(await cluster.leases.nodes(), process);
  if (row === undefined) throw new Error(`${name} is no node`);
  return row.incarnation;
}
