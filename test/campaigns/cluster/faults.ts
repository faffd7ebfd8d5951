import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../../../src/common/random.ts";
import type { ProbePoint } from "../../../src/engine/index.ts";
import { SNAPSHOT_POINTS, SUBMIT_POINTS } from "../../../src/sandbox/faults.ts";
import type { LoadedAccount } from "./load.ts";
import { inDatabase, type RunningNode, rowOfProcess, type Slot, type Stack, within } from "./stack.ts";

/** The stack, the node that has the fault, and the source of chance of a round. */
export type Round = Readonly<{
  stack: Stack;
  /** A node that serves: the active one, or any that shares the shards. */
  node: RunningNode;
  accounts: readonly LoadedAccount[];
  random: Random;
  ttlMs: number;
}>;

/** Makes one fault under load. Resolves when it is over, up to the restart of processes. */
export type Fault = (round: Round) => Promise<void>;

const POINTS: readonly ProbePoint[] = [...SUBMIT_POINTS, ...SNAPSHOT_POINTS];

/** Longest time until a process ends that is asked to, or that has been replaced. */
const LONGEST_END_MS = 40_000;

/** How long shards are waited for that were assigned to other nodes. An assignment may be lost with its node. */
const LONGEST_MOVE_MS = 3_000;

/** Waits for the end of a node, and throws unless it ends in this way. */
export async function expectEnd({ slot, process }: RunningNode, how: number, why: string): Promise<void> {
  const ended = await within(LONGEST_END_MS, `${slot.name} to end ${why}`, process.ended);
  if (ended !== how) throw new Error(`${slot.name} ended with ${ended} and not with ${how} ${why}`);
}

/** Stops a node until others have taken over, and wakes it. It must end, because it has lost its shards. */
async function sleepThroughTakeover({ stack, node, random }: Round): Promise<void> {
  const { process } = node.process;
  await sleep(random.below(300));
  process.kill("SIGSTOP");
  try {
    await stack.taken(node.slot);
    await sleep(random.below(500));
  } finally {
    process.kill("SIGCONT");
  }
  await expectEnd(node, 1, "after it slept through a takeover");
}

/** Assigns the shard of each account to another node than its owner, and waits until most have moved. */
async function moveAccounts({ stack, accounts, random }: Round): Promise<void> {
  await inDatabase(stack, async ({ leases }) => {
    const { nodes, shards } = await leases.nodes();
    const live = nodes.filter(({ dead }) => !dead).map(({ incarnation }) => incarnation);
    const targets = new Map<number, number>();
    for (const { shard } of accounts) {
      const from = shards[shard]?.incarnation;
      const others = live.filter((incarnation) => incarnation !== from);
      if (from === undefined || others.length === 0) continue;
      const to = random.pick(others);
      if ((await leases.assign({ shards: [shard], to, from })) > 0) targets.set(shard, to);
    }
    const end = performance.now() + LONGEST_MOVE_MS;
    while (performance.now() < end) {
      const owners = (await leases.nodes()).shards;
      if ([...targets].every(([shard, to]) => owners[shard]?.incarnation === to)) return;
      await sleep(20);
    }
  });
}

/** Starts the spare node, and waits for as long as it may take until it has shards. */
async function join({ stack, random, ttlMs }: Round): Promise<RunningNode> {
  const slot = stack.slots.find(({ isSpare }) => isSpare) as Slot;
  await sleep(random.below(300));
  await stack.start(slot);
  await sleep(random.below(4 * ttlMs));
  const { process } = slot;
  if (process === undefined) throw new Error(`${slot.name} has ended`);
  return { slot, process };
}

/** Faults of clusters of both forms, by name. */
const COMMON: Readonly<Record<string, Fault>> = {
  "nothing happens": async () => {
    await sleep(1_000);
  },
  "a node is killed": async ({ node, random }) => {
    await sleep(random.below(600));
    await node.process.kill();
  },
  "a node is killed at a named point": async ({ node, random }) => {
    const order = { at: random.pick(POINTS), skip: random.below(6) };
    await node.process.control("POST", "crash", order);
    await Promise.race([node.process.ended, sleep(3_000)]);
    await node.process.kill();
  },
  "a node is asked to end": async ({ node, random }) => {
    await sleep(random.below(600));
    node.process.process.kill("SIGTERM");
    await expectEnd(node, 0, "after SIGTERM");
  },
  "all nodes are killed": async ({ stack, random }) => {
    await sleep(random.below(600));
    await Promise.all(stack.running.map(({ process }) => process.kill()));
  },
  "Postgres is killed": async ({ stack, random }) => {
    await sleep(random.below(600));
    await stack.server.kill();
    await sleep(random.below(1_000));
    await stack.server.start();
  },
  "the connections to Postgres are cut": async ({ stack, random }) => {
    for (let times = 1 + random.below(4); times > 0; times--) {
      await sleep(random.below(300));
      stack.proxy.cut();
    }
  },
  "answers of Postgres are lost": async ({ stack, random }) => {
    for (let times = 1 + random.below(4); times > 0; times--) {
      await sleep(random.below(300));
      stack.proxy.behaviour.losesAnswer = true;
    }
    await sleep(300);
    stack.proxy.behaviour.losesAnswer = false;
  },
  "Postgres is slow": async ({ stack, random }) => {
    stack.proxy.behaviour.delayMs = 50 + random.below(450);
    await sleep(500 + random.below(1_000));
    stack.proxy.behaviour.delayMs = 0;
  },
  "Postgres hears nothing for longer than a lease": async ({ stack, random, ttlMs }) => {
    await sleep(random.below(300));
    stack.proxy.behaviour.holds = true;
    await sleep(ttlMs * (1 + random.below(2)));
    stack.proxy.deliver();
  },
  "a node sleeps while another one takes over": sleepThroughTakeover,
  "a node sleeps for less than a lease": async ({ node, random, ttlMs }) => {
    await sleep(random.below(300));
    node.process.process.kill("SIGSTOP");
    await sleep(random.below(ttlMs));
    node.process.process.kill("SIGCONT");
  },
  "the venue is killed": async ({ stack, random }) => {
    await sleep(random.below(600));
    await stack.venue.kill();
    await sleep(random.below(1_000));
    await stack.venue.start();
  },
  "venue and a node are killed": async ({ stack, node, random }) => {
    await sleep(random.below(600));
    await Promise.all([stack.venue.kill(), node.process.kill()]);
    await sleep(random.below(1_000));
    await stack.venue.start();
  },
  "the venue sleeps": async ({ stack, random }) => {
    await sleep(random.below(300));
    stack.venue.pause(true);
    await sleep(random.below(2_000));
    stack.venue.pause(false);
  },
  "the connections to the venue are cut": async ({ stack, random }) => {
    for (let times = 1 + random.below(4); times > 0; times--) {
      await sleep(random.below(300));
      stack.venue.cutter.cutAll();
    }
  },
  "the connections to the venue break at any byte": async ({ stack, random }) => {
    const { cutter } = stack.venue;
    cutter.plan(() => ({ toServer: 1 + random.below(3_000), toClient: 1 + random.below(3_000) }));
    cutter.cutAll();
    await sleep(500 + random.below(1_500));
    cutter.plan(() => ({}));
    cutter.cutAll();
  },
  "the venue cannot be reached": async ({ stack, random }) => {
    await sleep(random.below(300));
    stack.venue.cutter.setOutage(true);
    await sleep(random.below(2_000));
    stack.venue.cutter.setOutage(false);
  },
};

/** Faults of a cluster with one active node. */
const OF_WHOLE: Readonly<Record<string, Fault>> = {
  "a standby is killed": async ({ stack, node, random }) => {
    await sleep(random.below(300));
    const others = stack.running.filter(({ slot }) => slot !== node.slot);
    if (others.length > 0) await random.pick(others).process.kill();
    await sleep(random.below(300));
  },
};

/** Faults of nodes that share the shards. */
const OF_SHARING: Readonly<Record<string, Fault>> = {
  "two nodes are killed at once": async ({ stack, node, random }) => {
    await sleep(random.below(600));
    const others = stack.running.filter(({ slot }) => slot !== node.slot);
    await Promise.all([node.process.kill(), random.pick(others).process.kill()]);
  },
  "the shards of the accounts move": async (round) => {
    for (let times = 1 + round.random.below(3); times > 0; times--) await moveAccounts(round);
  },
  "a node is killed while the shards of the accounts move": async (round) => {
    const { node, random } = round;
    const killed = sleep(random.below(400)).then(() => node.process.kill());
    await Promise.all([moveAccounts(round), killed]);
  },
  "a node joins and leaves": async (round) => {
    const joined = await join(round);
    joined.process.process.kill("SIGTERM");
    await expectEnd(joined, 0, "after SIGTERM");
  },
  "a node joins and is killed": async (round) => {
    await (await join(round)).process.kill();
  },
  "a node is killed while it leaves": async ({ node, random }) => {
    node.process.process.kill("SIGTERM");
    await sleep(random.below(600));
    await node.process.kill();
  },
  "an operator drains a node": async ({ stack, node, random }) => {
    await sleep(random.below(300));
    await inDatabase(stack, async ({ leases }) => {
      const row = rowOfProcess(await leases.nodes(), node.process);
      if (row !== undefined) await leases.want({ incarnation: row.incarnation, wanted: "hand-over" });
    });
    await expectEnd(node, 0, "after an operator has drained it");
  },
};

/** Returns the faults of a cluster by name. */
export const faultsOf = (shares: boolean): Readonly<Record<string, Fault>> => ({
  ...COMMON,
  ...(shares ? OF_SHARING : OF_WHOLE),
});
