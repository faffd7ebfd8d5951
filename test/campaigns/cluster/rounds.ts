import { createRandom, type Random } from "../../../src/common/random.ts";
import { cancelAll, check } from "./checks.ts";
import { faultsOf, type Round } from "./faults.ts";
import { Load, type LoadedAccount, openAccounts } from "./load.ts";
import { Stack } from "./stack.ts";

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

/** After so many rounds, all open orders are canceled. Schedules would otherwise add up, and the records that each check reads. */
const CANCEL_ROUNDS = 3;

/** After so many rounds the next ones begin with an empty store: every check reads all records. */
const ROUNDS_PER_STORE = 24;

/** Settings of all nodes under load. */
export const SETTINGS: Readonly<Record<string, string>> = {
  CLOCK: "real",
  LEASE_TTL_MS: String(TTL_MS),
  QUOTE_MAX_AGE_MS: "3600000",
  SUBMIT_DEADLINE_MS: "500",
  VENUE_QUIET_MS: "200",
  SNAPSHOT_EVERY: "40",
};

/** The longest time between two answered placements around one fault, by account, in milliseconds. */
export type Gap = Readonly<{ fault: string; accountId: number; ms: number }>;

/**
 * Makes faults under load, one a round, and checks everything after each of them: every acknowledged order is there once,
 * none that was refused, no child was submitted twice, executed quantities equal the venue's record, lists are whole, floors
 * have not moved back, and on every node the journal restores the state, which is the same on all. Resolves to the times
 * without service.
 */
export async function clusterRounds(options: RoundsOptions): Promise<readonly Gap[]> {
  const { rounds, seed, shares, only = [""] } = options;
  const names = Object.keys(faultsOf(shares)).filter((name) => only.some((words) => name.includes(words)));
  if (names.length === 0) throw new RangeError(`no fault has one of these in its name: ${only.join(", ")}`);
  const gaps: Gap[] = [];
  const random = createRandom(seed);
  for (let first = 0; first < rounds; first += ROUNDS_PER_STORE)
    gaps.push(...(await roundsOnOneStore(options, { first, names, random })));
  return gaps;
}

/** The rounds from `first` on that are made on one store. */
type Part = Readonly<{ first: number; names: readonly string[]; random: Random }>;

async function roundsOnOneStore(
  { rounds, seed, shares, binaries, say }: RoundsOptions,
  { first, names, random }: Part,
): Promise<readonly Gap[]> {
  const gaps: Gap[] = [];
  const stack = await Stack.open({
    ...{ nodes: 3, spares: shares ? 1 : 0, shares, binaries, market: "manual", settings: SETTINGS },
  });
  try {
    const accounts = await openAccounts(stack, seed + first, SETTINGS);
    for (let round = first; round < Math.min(first + ROUNDS_PER_STORE, rounds); round++) {
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
      if (round % CANCEL_ROUNDS === CANCEL_ROUNDS - 1) await cancelAll(stack, accounts, random);
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
    const node = await stack.node(random);
    await faultsOf(stack.shares)[fault]?.({ stack, node, accounts, random, ttlMs: TTL_MS });
    await stack.restart();
    await stack.served();
    await load.answered(3);
  } finally {
    await load.stop();
  }
  return [...load.watches].map(([accountId, { longestMs: ms }]) => ({ fault, accountId, ms }));
}
