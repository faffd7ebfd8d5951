import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { figure, medianOf, printTable } from "../../../bench/measure.ts";
import { inDatabase, type RunningNode, Stack } from "../stack.ts";
import { LONGEST_MS, type MeasureOptions, settingsOf, verdict } from "./measure-options.ts";
import { openPlacers, ownersIn, type Placer, Placing, someShards } from "./placing.ts";

const NODES = 4;
const ACCOUNTS = 64;

/** Pause until the first processor time is read. */
const WARMS_MS = 1_000;

const MOST_OF_SHARING = 1.25;
const MOST_OF_FORWARDED = 2.2;

/** Length of a tick in the accounting of the system. */
const TICK_US = 10_000;

/** Nodes, accounts on all of them, and the node that owns each shard. */
type Loaded = Readonly<{
  stack: Stack;
  placers: readonly Placer[];
  owners: ReadonlyMap<number, RunningNode>;
}>;

/** For how long processor time is measured, under how many placements a second, and who is told how many there were. */
type Load = Readonly<{ seconds: number; rate: number }> & Pick<MeasureOptions, "say">;

/**
 * Processor time of all nodes in one round, in microseconds: for a placement, and of the sharing nodes at rest for each node
 * and second.
 */
type Costs = Readonly<{ sharing: number; single: number; forwarded: number; atRest: number }>;

/**
 * Measures the processor time of nodes that share for a durable placement: against that of a single node under the same load,
 * and of placements that another node forwards to the owner. All of them take turns in each round.
 */
export async function measureProcessor(options: MeasureOptions): Promise<void> {
  const { isSmall, rounds, rate, say } = options;
  const load: Load = { seconds: isSmall ? 3 : 20, rate, say };
  const stacks: Stack[] = [];
  try {
    const [sharing, single] = [await opened(NODES, options, stacks), await opened(1, options, stacks)];
    const found: Costs[] = [];
    for (let round = 0; round <= rounds; round++) {
      const costs: Costs = {
        sharing: await costOf(sharing, load, (shard) => ownerOf(sharing, shard)),
        single: await costOf(single, load, (shard) => ownerOf(single, shard)),
        forwarded: await costOf(sharing, load, (shard) => otherThanOwnerOf(sharing, shard)),
        atRest: await restingCostOf(sharing, load),
      };
      const shown = Object.entries(costs).map(([name, us]) => `${name} ${figure(us)} us`);
      // The first round warms all of them up.
      if (round > 0) found.push(costs);
      say(`${round === 0 ? "warm-up" : `${round} of ${rounds}`}: ${shown.join(", ")}`);
    }
    printCosts(found, load);
  } finally {
    await Promise.all(stacks.map((stack) => stack.close()));
  }
}

/** Starts nodes with accounts on all of them, and adds them to those that are to be closed. */
async function opened(nodes: number, options: MeasureOptions, stacks: Stack[]): Promise<Loaded> {
  const { binaries } = options;
  const settings = settingsOf(options);
  const stack = await Stack.open({ nodes, shares: true, binaries, market: "manual", settings });
  stacks.push(stack);
  await stack.even(LONGEST_MS);
  const placers = await openPlacers(stack, someShards(ACCOUNTS));
  // Its questions for the health of the nodes would count.
  await stack.front.close();
  const view = await inDatabase(stack, ({ leases }) => leases.nodes());
  return { stack, placers, owners: ownersIn(view, stack) };
}

function ownerOf({ owners }: Loaded, shard: number): RunningNode {
  const owner = owners.get(shard);
  if (owner === undefined) throw new Error(`shard ${shard} has no owner`);
  return owner;
}

/** Returns the node after the owner of a shard. */
function otherThanOwnerOf(loaded: Loaded, shard: number): RunningNode {
  const { running } = loaded.stack;
  const place = running.findIndex(({ slot }) => slot === ownerOf(loaded, shard).slot);
  return running[(place + 1) % running.length] as RunningNode;
}

/** Places for some seconds, the orders for each shard at one node, and returns the processor time of all nodes for each. */
async function costOf(
  { stack, placers }: Loaded,
  { seconds, rate, say }: Load,
  nodeFor: (shard: number) => RunningNode,
): Promise<number> {
  const urlFor = ({ shard }: Placer): string => nodeFor(shard).process.url;
  const placing = new Placing({ placers, urlFor, everyMs: (1_000 * placers.length) / rate });
  try {
    let cost = Number.NaN;
    await placing.watch(async () => {
      await sleep(WARMS_MS);
      const [usBefore, countBefore] = [processorUs(stack), placing.count];
      await sleep(seconds * 1_000);
      const count = placing.count - countBefore;
      cost = (processorUs(stack) - usBefore) / count;
      say(`${figure(count / seconds)} placements a second on ${stack.running.length} nodes`);
    });
    return cost;
  } finally {
    await placing.stop();
  }
}

/** Returns the processor time of a node without requests in a second. */
async function restingCostOf({ stack }: Loaded, { seconds }: Load): Promise<number> {
  const before = processorUs(stack);
  await sleep(seconds * 1_000);
  return (processorUs(stack) - before) / stack.running.length / seconds;
}

/** Returns the processor time of all nodes so far, with that of the system for them. */
function processorUs({ running }: Stack): number {
  return running.reduce((sum, { process: { process } }) => {
    const stat = readFileSync(`/proc/${process.pid}/stat`, "utf8");
    const [user = 0, system = 0] = stat.slice(stat.lastIndexOf(")")).split(" ").slice(12, 14).map(Number);
    return sum + (user + system) * TICK_US;
  }, 0);
}

function printCosts(found: readonly Costs[], { rate }: Load): void {
  const median = (of: (costs: Costs) => number): string => figure(medianOf(found.map(of)));
  const against = (of: (costs: Costs) => number, goal: number): string[] => {
    const ratios = found.map(of).sort((a, b) => a - b);
    const ratio = medianOf(ratios);
    const spread = `${figure(ratios[0] ?? Number.NaN)}-${figure(ratios.at(-1) ?? Number.NaN)}`;
    return [figure(ratio), spread, `<= ${goal}`, verdict(ratio, goal)];
  };
  const local = `placement on ${NODES} nodes, at its owner`;
  const rows = [
    ["processor time of all nodes, us", "", "against", "", "ratio", "spread of rounds", "goal", ""],
    [
      ...[local, median(({ sharing }) => sharing), "a single node", median(({ single }) => single)],
      ...against(({ sharing, single }) => sharing / single, MOST_OF_SHARING),
    ],
    [
      ...[
        "the same, forwarded",
        median(({ forwarded }) => forwarded),
        local,
        median(({ sharing }) => sharing),
      ],
      ...against(({ forwarded, sharing }) => forwarded / sharing, MOST_OF_FORWARDED),
    ],
  ];
  rows.push(["a node at rest, for each second", median(({ atRest }) => atRest)]);
  printTable(
    `Durable placements over REST, ${rate} a second asked for of ${ACCOUNTS} accounts; medians of ${found.length} rounds`,
    rows,
  );
}
