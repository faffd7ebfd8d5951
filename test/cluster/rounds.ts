import { setTimeout as sleep } from "node:timers/promises";
import { createRandom, type Random } from "../../src/simulator/random/index.ts";
import { checkAccount, checkVenue } from "../crash/rest-checks.ts";
import type { AskedSandbox } from "../crash/rest-load.ts";
import { type Reply, type SandboxClient, type SandboxProcess, signedBy } from "../support/sandbox-process.ts";
import { faultsOf, type Round } from "./faults.ts";
import { Load, type LoadedAccount, openAccounts } from "./load.ts";
import { type RunningNode, Stack, within } from "./stack.ts";

/** How many rounds, from which seed, and what is told of each. `only`: faults with these words in their name. */
export type RoundsOptions = Readonly<{
  rounds: number;
  seed: number;
  /** Whether the nodes share the shards. Otherwise one is active. */
  shares: boolean;
  binaries: string;
  only?: readonly string[];
  say: (line: string) => void;
}>;

const TTL_MS = 1_500;

const SETTINGS = {
  CLOCK: "real",
  LEASE_TTL_MS: String(TTL_MS),
  QUOTE_MAX_AGE_MS: "3600000",
  SUBMIT_DEADLINE_MS: "500",
  VENUE_QUIET_MS: "200",
  SNAPSHOT_EVERY: "40",
};

/** Longest wait of a check for an answer. */
const LONGEST_ANSWER_MS = 60_000;

/** The longest time between two answered placements around one fault, by account, in milliseconds. */
export type Gap = Readonly<{ fault: string; accountId: number; ms: number }>;

/**
 * Makes faults under load, one a round, and checks everything after each of them: every acknowledged order is there once,
 * none that was refused, no child was submitted twice, executed quantities equal the venue's record, lists are whole, floors
 * have not moved back, and on every node the journal restores the state, which is the same on all. Resolves to the times
 * without service.
 */
export async function clusterRounds(options: RoundsOptions): Promise<readonly Gap[]> {
  const { rounds, seed, shares, binaries, only = [""], say } = options;
  const names = Object.keys(faultsOf(shares)).filter((name) => only.some((words) => name.includes(words)));
  if (names.length === 0) throw new RangeError(`no fault has one of these in its name: ${only.join(", ")}`);
  const gaps: Gap[] = [];
  const random = createRandom(seed);
  const stack = await Stack.open({
    ...{ nodes: 3, spares: shares ? 1 : 0, shares, binaries, market: "manual", settings: SETTINGS },
  });
  try {
    const accounts = await openAccounts(stack, seed, SETTINGS);
    for (let round = 0; round < rounds; round++) {
      const name = names[round % names.length] ?? "";
      const started = performance.now();
      const found = await underLoad({ stack, accounts, random }, name).catch((error: unknown) => {
        throw new Error(`round ${round}, "${name}"`, { cause: error });
      });
      gaps.push(...found);
      const faultMs = performance.now() - started;
      await check(stack, accounts, random).catch((error: unknown) => {
        throw new Error(`after round ${round}, "${name}"`, { cause: error });
      });
      const worst = found.reduce((most, { ms }) => Math.max(most, ms), 0);
      const times = `${inSeconds(faultMs)} of load, ${inSeconds(performance.now() - started - faultMs)} of checks`;
      say(`${round + 1} of ${rounds}: ${name}, ${Math.round(worst)} ms without service, ${times}`);
    }
    say(totals(accounts));
  } catch (error) {
    for (const words of stack.lastWords) say(words.trim());
    throw error;
  } finally {
    await stack.close();
  }
  return gaps;
}

const inSeconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

function totals(accounts: readonly LoadedAccount[]): string {
  const count = (of: (account: LoadedAccount) => number): number =>
    accounts.reduce((sum, account) => sum + of(account), 0);
  const orders = count(({ run }) => run.ledger.acknowledged.size);
  const lists = count(({ run }) => run.ledger.lists.size);
  const refused = count(({ run }) => run.ledger.refused.size);
  const uncertain = count(({ run }) => run.ledger.uncertain.size);
  return `${orders} orders and ${lists} lists acknowledged, ${refused} refused, ${uncertain} without an answer`;
}

/** Makes one fault under load. Resolves to the longest times without an answered placement, by account. */
async function underLoad(
  { stack, accounts, random }: Pick<Round, "stack" | "accounts" | "random">,
  fault: string,
): Promise<readonly Gap[]> {
  await stack.restart();
  await stack.served();
  const load = new Load(stack, accounts, random.below(1_000_000));
  try {
    await load.answered(2);
    const node = stack.node(random);
    await faultsOf(stack.shares)[fault]?.({ stack, node, accounts, random, ttlMs: TTL_MS });
    await stack.restart();
    await stack.served();
    await load.answered(3);
  } finally {
    await load.stop();
  }
  return [...load.watches].map(([accountId, { longestMs: ms }]) => ({ fault, accountId, ms }));
}

/** How often a check begins again. */
const CHECKS = 20;

/**
 * Checks everything. On a machine with other work, a lease may lapse and a node be replaced without a fault: it refuses
 * with 503, -1001, or ends. The check then begins again, with all nodes; every other problem is a broken rule.
 */
async function check(stack: Stack, accounts: readonly LoadedAccount[], random: Random): Promise<void> {
  for (let left = CHECKS; ; left--) {
    await stack.restart();
    await stack.served();
    try {
      return await checkOnce(stack, accounts, random);
    } catch (error) {
      if (left === 0 || !(error instanceof Error) || !NOT_SERVED.test(error.message)) throw error;
      await sleep(500);
    }
  }
}

const NOT_SERVED =
  /^a page .*"code":-1001|^control \S+: (421|503) |^(connect|read|write) ECONN|^socket hang up|^the answer was cut off|^no node runs/;

async function checkOnce(stack: Stack, accounts: readonly LoadedAccount[], random: Random): Promise<void> {
  const { control } = allNodes(stack);
  const venue = await checkVenue({ env: SETTINGS }, { control });
  for (const { run, client } of accounts)
    await checkAccount(run, { control, signed: anyNode(stack, random, client) }, venue);
  await checkStates(stack);
}

/** How often the states of all nodes are compared: a node may not have read the last records of the others yet. */
const COMPARISONS = 50;

/** I53: on every node, the journal restores the state, and it is the same on all of them. */
async function checkStates(stack: Stack): Promise<void> {
  for (let left = COMPARISONS; ; left--) {
    const states = await Promise.all(stack.running.map(async (node) => await stateOf(node)));
    if (new Set(states).size === 1) return;
    if (left === 0) throw new Error(`I53: the nodes have different states: ${states.join("; ")}`);
    await sleep(200);
  }
}

/** Resolves to the state of all shards on a node, as a text. */
async function stateOf({ slot, process }: RunningNode): Promise<string> {
  const verify = process.control("GET", "verify");
  const { equal, records, live } = await within(LONGEST_ANSWER_MS, `${slot.name} to verify`, verify);
  if (equal !== true)
    throw new Error(`I53: ${slot.name} has another state than the journal, ${String(live)}`);
  return `${String(records)} records, ${String(live)}`;
}

/** What is at rest is the sum over all nodes, and an order is asked about at the node that owns it. */
function allNodes(stack: Stack): Pick<AskedSandbox, "control"> {
  const ask: SandboxProcess["control"] = async (method, path, body) => {
    const nodes = stack.running;
    let refusal: unknown = new Error("no node runs");
    for (const { process } of nodes) {
      try {
        return await within(LONGEST_ANSWER_MS, path, process.control(method, path, body));
      } catch (error) {
        if (!(error instanceof Error) || !IS_ELSEWHERE.test(error.message)) throw error;
        refusal = error;
      }
    }
    throw refusal;
  };
  const settle = async (): Promise<Settled> => {
    const all = await Promise.all(
      stack.running.map(({ process }) =>
        // A standby has nothing that could be at rest.
        process.control<Settled>("POST", "settle", {}).catch((error: unknown) => {
          if (error instanceof Error && IS_ELSEWHERE.test(error.message)) return NOTHING;
          throw error;
        }),
      ),
    );
    return all.reduce((sum, one) => ({
      inFlight: sum.inFlight + one.inFlight,
      unknown: sum.unknown + one.unknown,
    }));
  };
  return {
    control: async <T>(method: "GET" | "POST", path: string, body?: unknown) =>
      path === "settle" ? ((await settle()) as T) : await ask<T>(method, path, body),
  };
}

/** The node owns another shard, or is a standby. */
const IS_ELSEWHERE = /^control \S+: (421 |503 .*this sandbox is a standby)/;

type Settled = Readonly<{ inFlight: number; unknown: number }>;

const NOTHING: Settled = { inFlight: 0, unknown: 0 };

/** How often a question is asked again while a shard is on its way. */
const READS = 50;

/** Asks each question at any node or through the front, and again if nothing was answered, because a shard may be moving. */
function anyNode(stack: Stack, random: Random, client: SandboxClient): AskedSandbox["signed"] {
  const front = { url: stack.frontUrl, wsUrl: "", controlUrl: "" };
  return async (...request): Promise<Reply> => {
    for (let left = READS; ; left--) {
      const nodes = stack.running.map(({ process }) => process);
      const asked = signedBy(random.pick([...nodes, front]), client)(...request);
      const reply = await within(LONGEST_ANSWER_MS, request[1], asked);
      if (reply.body.code !== -1001 || left === 0) return reply;
      await sleep(100);
    }
  };
}
