import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../../src/simulator/random/index.ts";
import { type AskedSandbox, checkRestart, createCrashRun, loadUntilDeath } from "../crash/rest-load.ts";
import type { SandboxProcess } from "../support/sandbox-process.ts";
import { FAULTS } from "./faults.ts";
import { Stack } from "./stack.ts";

/** How many rounds, from which seed, and what is told of each. `only`: faults with these words in their name. */
export type RoundsOptions = Readonly<{
  rounds: number;
  seed: number;
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

/** Longest time between two acknowledged placements around one fault, in milliseconds, and the name of the fault. */
export type Gap = Readonly<{ fault: string; ms: number }>;

/**
 * Makes faults under load, one a round, and checks everything after each of them: every acknowledged order is there once,
 * none that was refused, no child was submitted twice, executed quantities equal the venue's record, lists are whole, floors
 * have not moved back, and on every node the journal restores the state. Resolves to the times without service.
 */
export async function clusterRounds({
  rounds,
  seed,
  binaries,
  only = [""],
  say,
}: RoundsOptions): Promise<readonly Gap[]> {
  const run = createCrashRun("", seed, SETTINGS);
  const names = Object.keys(FAULTS).filter((name) => only.some((words) => name.includes(words)));
  if (names.length === 0) throw new RangeError(`no fault has one of these in its name: ${only.join(", ")}`);
  const gaps: Gap[] = [];
  const stack = await Stack.open({ nodes: 3, binaries, market: "manual", settings: SETTINGS });
  try {
    for (let round = 0; round < rounds; round++) {
      await check(stack, run);
      const name = names[round % names.length] ?? "";
      const started = performance.now();
      const ms = await underLoad(stack, run, name).catch((error: unknown) => {
        throw new Error(`round ${round}, "${name}"`, { cause: error });
      });
      gaps.push({ fault: name, ms });
      say(`${round + 1} of ${rounds}: ${name}, ${Math.round(ms)} ms without service, ${took(started)}`);
    }
    await check(stack, run);
    const { acknowledged, lists, refused, uncertain } = run.ledger;
    say(
      `${acknowledged.size} orders and ${lists.size} lists acknowledged, ${refused.size} refused, ${uncertain.size} without an answer`,
    );
  } finally {
    await stack.close();
  }
  return gaps;
}

/** How often a check begins again. */
const CHECKS = 20;

/**
 * Checks everything. On a machine with other work, a lease may lapse and a node be replaced without a fault: it refuses
 * with 503, -1001, or ends. The check then begins again, with all nodes; every other problem is a broken rule.
 */
async function check(stack: Stack, run: ReturnType<typeof createCrashRun>): Promise<void> {
  for (let left = CHECKS; ; left--) {
    await stack.restart();
    try {
      return await checkOnce(stack, run);
    } catch (error) {
      if (left === 0 || !(error instanceof Error) || !NOT_SERVED.test(error.message)) throw error;
      await sleep(500);
    }
  }
}

const NOT_SERVED =
  /^a page .*"code":-1001|^control \S+: 503 |^(connect|read|write) ECONN|^socket hang up|^the answer was cut off/;

/** Checks the active node and the venue, and the state of each standby. */
async function checkOnce(stack: Stack, run: ReturnType<typeof createCrashRun>): Promise<void> {
  const { asked, slot: active } = await stack.active();
  await checkRestart(run, asked);
  for (const slot of stack.slots) {
    if (slot === active) continue;
    if (slot.process === undefined) throw new Error(`control verify: 503 ${slot.name} has ended`);
    const verification = await slot.process.control("GET", "verify");
    if (verification["equal"] !== true)
      throw new Error(`I53: ${slot.name} follows to another state: ${JSON.stringify(verification)}`);
  }
}

const took = (started: number): string => `${((performance.now() - started) / 1_000).toFixed(1)} s in all`;

/** Makes one fault under load. Resolves to the longest time without an acknowledged placement. */
async function underLoad(
  stack: Stack,
  run: ReturnType<typeof createCrashRun>,
  name: string,
): Promise<number> {
  const active = await stack.active();
  const watch = new ServiceWatch();
  const over = new AbortController();
  const ended = new Promise<void>((resolve) => over.signal.addEventListener("abort", () => resolve()));
  const asked = watch.watched(anyNode(stack, run.random));
  const load = loadUntilDeath(run, { ...asked, ended, answersAtOnce: true });
  try {
    await sleep(200);
    await FAULTS[name]?.({ stack, active, random: run.random, ttlMs: TTL_MS });
    await stack.restart();
    const from = watch.count;
    const end = performance.now() + 60_000;
    await stack.active();
    while (watch.count < from + 3) {
      if (performance.now() > end)
        throw new Error("no placement was acknowledged for a minute after the fault");
      await sleep(10);
    }
  } finally {
    over.abort();
    await load;
  }
  return watch.longestMs;
}

/**
 * Sends each request to any node, or through the front: a standby forwards it to the owner of the shard. Calls about market
 * and venue are passed on to the venue by each node.
 */
function anyNode(stack: Stack, random: Random): AskedSandbox {
  const any = (): SandboxProcess => {
    const nodes = stack.slots.flatMap(({ process }) => process ?? []);
    if (nodes.length === 0) throw new Error("no node runs");
    return random.pick([...nodes, stack.throughFront(random.pick(nodes))]);
  };
  return {
    signed: async (method, path, parameters) => await any().signed(method, path, parameters),
    control: async (method, path, body) => {
      await sleep(CONTROL_PAUSE_MS);
      return await inTime(any().control(method, path, body));
    },
  };
}

/** Pauses of clients that hear of a failure at once, and of those that move the market: they share the machine. */
const FAILED_PAUSE_MS = 25;
const CONTROL_PAUSE_MS = 20;

/** Longest wait of a client for an answer. A node that sleeps gives none. */
const LONGEST_ANSWER_MS = 1_000;

const inTime = <T>(answer: Promise<T>): Promise<T> =>
  Promise.race([
    answer,
    sleep(LONGEST_ANSWER_MS, undefined, { ref: false }).then(() => {
      throw new Error("no answer in time");
    }),
  ]);

/** Notes when placements are acknowledged. */
class ServiceWatch {
  count = 0;
  longestMs = 0;
  #last = performance.now();

  watched({ control, signed }: AskedSandbox): AskedSandbox {
    return {
      control,
      signed: async (method, path, parameters) => {
        const reply = await inTime(signed(method, path, parameters)).catch(async (error: unknown) => {
          await sleep(FAILED_PAUSE_MS);
          throw error;
        });
        if (method === "POST" && reply.status === 200) this.#note();
        else if (reply.status === 503) await sleep(FAILED_PAUSE_MS);
        return reply;
      },
    };
  }

  #note(): void {
    const now = performance.now();
    this.longestMs = Math.max(this.longestMs, now - this.#last);
    this.#last = now;
    this.count++;
  }
}
