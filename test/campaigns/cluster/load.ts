import { setTimeout as sleep } from "node:timers/promises";
import { createRandom, type Random } from "../../../src/common/random.ts";
import { shardOf } from "../../../src/lifecycle/index.ts";
import { type SandboxClient, type SandboxProcess, signedBy } from "../../support/sandbox-process.ts";
import {
  type CrashRun,
  cancel,
  cancelList,
  createCrashRun,
  passTime,
  place,
  placeList,
  type QueriedSandbox,
  quote,
} from "../crash/rest-load.ts";
import { answered, ServiceWatch } from "./service-watch.ts";
import { type Stack, within } from "./stack.ts";

/** An account under load, its client, and what that knows. */
export type LoadedAccount = Readonly<{
  accountId: number;
  shard: number;
  client: SandboxClient;
  run: CrashRun;
}>;

/** Accounts of as many shards. */
const ACCOUNT_IDS: readonly number[] = Array.from({ length: 12 }, (_, index) => 101 + index);

/** Pause of a client between two requests: all of them share the machine with what they test. */
const PAUSE_MS = 50;

/** Pause of a client that hears of a failure at once. */
const FAILED_PAUSE_MS = 25;

/** Longest wait of a client for an answer. A node that sleeps gives none. */
const LONGEST_ANSWER_MS = 1_500;

/** Opens the accounts, each with the funds of the demo account and a client at an address of its own. */
export async function openAccounts(
  { running }: Pick<Stack, "running">,
  seed: number,
  settings: Readonly<Record<string, string>>,
): Promise<readonly LoadedAccount[]> {
  const [node] = running;
  if (node === undefined) throw new Error("no node runs");
  const { control } = node.process;
  const { balances } = await control("GET", "accounts/1");
  const accounts: LoadedAccount[] = [];
  for (const [index, accountId] of ACCOUNT_IDS.entries()) {
    const [apiKey, secret] = [`key-${accountId}`, `secret-${accountId}`];
    const keys = { apiKey, secret, permissions: ["READ", "TRADE"], enableDataSharing: true };
    await control("POST", "accounts", { accountId, ...keys, balances });
    const run = createCrashRun("", seed + accountId, settings);
    const client = { apiKey, secret, localAddress: `127.0.0.${10 + index}` };
    accounts.push({ accountId, shard: shardOf(accountId), client, run });
  }
  return accounts;
}

/** Load on all accounts, through the front and directly at every node, until it is stopped. */
export class Load {
  readonly watches: ReadonlyMap<number, ServiceWatch>;
  readonly #stack: Stack;
  readonly #accounts: readonly LoadedAccount[];
  readonly #random: Random;
  readonly #clients: Promise<unknown>;
  #isOver = false;

  constructor(stack: Stack, accounts: readonly LoadedAccount[], seed: number) {
    this.#stack = stack;
    this.#accounts = accounts;
    this.#random = createRandom(seed);
    this.watches = new Map(accounts.map(({ accountId }) => [accountId, new ServiceWatch()]));
    this.#clients = this.#begin();
  }

  /** Resolves when each account has been answered so many more times. Rejects if that takes longer than a minute. */
  async answered(times: number): Promise<void> {
    await answered(this.watches, times);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#clients;
  }

  async #begin(): Promise<void> {
    const placing = this.#accounts.map(({ accountId, client, run }) => {
      const watch = this.watches.get(accountId) as ServiceWatch;
      const requested = watchedBy(watch, this.#requested(client));
      return this.#client(() => place(run, requested), PAUSE_MS);
    });
    const some = (act: (run: CrashRun, requested: QueriedSandbox) => Promise<void>): Promise<void> =>
      this.#client(async () => {
        const { client, run } = this.#random.pick(this.#accounts);
        await act(run, inTime(this.#requested(client)));
      }, PAUSE_MS);
    await Promise.all([...placing, ...[placeList, cancelList, cancel, passTime, quote].map(some)]);
  }

  async #client(act: () => Promise<void>, pauseMs: number): Promise<void> {
    while (!this.#isOver) {
      const failed = await act().then(
        () => false,
        () => true,
      );
      await sleep(failed ? FAILED_PAUSE_MS : pauseMs);
    }
  }

  /**
   * Sends each request through the front or to any node with a process, which forwards it to the owner of the account. Calls
   * about market and venue are passed on to the venue by each node.
   */
  #requested(client: SandboxClient): QueriedSandbox {
    const any = (): SandboxProcess => {
      const { running } = this.#stack;
      if (running.length === 0) throw new Error("no node runs");
      return this.#random.pick(running).process;
    };
    const front = { url: this.#stack.frontUrl, wsUrl: "", controlUrl: "" };
    return {
      signed: async (...request) =>
        await signedBy(this.#random.chance(0.5) ? front : any(), client)(...request),
      control: async (...call) => await any().control(...call),
    };
  }
}

/** Gives an answer up after some time. */
const inTime = ({ signed, control }: QueriedSandbox): QueriedSandbox => ({
  signed: async (...request) => await within(LONGEST_ANSWER_MS, request[1], signed(...request)),
  control: async (...call) => await within(LONGEST_ANSWER_MS, call[1], control(...call)),
});

function watchedBy(watch: ServiceWatch, requested: QueriedSandbox): QueriedSandbox {
  const { control, signed } = inTime(requested);
  return {
    control,
    signed: async (...request) => {
      const reply = await signed(...request);
      if (reply.status < 500) watch.note();
      else await sleep(FAILED_PAUSE_MS);
      return reply;
    },
  };
}
