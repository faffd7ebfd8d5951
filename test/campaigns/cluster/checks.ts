import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../../../src/common/random.ts";
import { shardOfId } from "../../../src/model/index.ts";
import {
  type Reply,
  type SandboxClient,
  type SandboxProcess,
  signedBy,
} from "../../support/sandbox-process.ts";
import { checkAccount, checkVenue } from "../crash/rest-checks.ts";
import type { QueriedSandbox } from "../crash/rest-load.ts";
import type { LoadedAccount } from "./load.ts";
import { type RunningNode, type Stack, within } from "./stack.ts";

/** Longest wait of a check for an answer. */
const LONGEST_ANSWER_MS = 60_000;

/** How often a check begins again. */
const CHECKS = 20;

/**
 * Checks everything. On a machine with other work, a lease may lapse and a node be replaced without a fault: it refuses
 * with 503, -1001, or ends. The check then begins again, with all nodes; every other problem is a broken rule.
 */
export async function check(stack: Stack, accounts: readonly LoadedAccount[], random: Random): Promise<void> {
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
  const venue = await checkVenue({ env: { CLOCK: "real" } }, { control });
  const checked = await Promise.allSettled(
    accounts.map(({ run, client }) =>
      checkAccount(run, { control, signed: anyNode(stack, random, client) }, venue),
    ),
  );
  for (const one of checked) if (one.status === "rejected") throw one.reason;
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
function allNodes(stack: Stack): Pick<QueriedSandbox, "control"> {
  const owners = new Map<number, SandboxProcess>();
  const ask: SandboxProcess["control"] = async (method, path, body) => {
    const [kind = "", id] = path.split("/");
    const shard = kind === "orders" ? shardOfId(Number(id)) : undefined;
    const known = shard === undefined ? undefined : owners.get(shard);
    const nodes = stack.running.map(({ process }) => process);
    let refusal: unknown = new Error("no node runs");
    for (const process of known === undefined ? nodes : [known, ...nodes]) {
      try {
        const answer = await within(LONGEST_ANSWER_MS, path, process.control(method, path, body));
        if (shard !== undefined) owners.set(shard, process);
        return answer as never;
      } catch (error) {
        if (!isElsewhere(error)) throw error;
        refusal = error;
      }
    }
    throw refusal;
  };
  const settle = async (): Promise<Settled> => {
    const all = await Promise.all(
      stack.running.map(async ({ process }) => {
        try {
          return await within(LONGEST_ANSWER_MS, "settle", process.control<Settled>("POST", "settle", {}));
        } catch (error) {
          // A standby has nothing that could be at rest.
          if (isElsewhere(error)) return { inFlight: 0, unknown: 0 };
          throw error;
        }
      }),
    );
    const sumOf = (key: keyof Settled): number => all.reduce((sum, one) => sum + one[key], 0);
    return { inFlight: sumOf("inFlight"), unknown: sumOf("unknown") };
  };
  return {
    control: async <T>(method: "GET" | "POST", path: string, body?: unknown) =>
      path === "settle" ? ((await settle()) as T) : await ask<T>(method, path, body),
  };
}

/** Cancels all open orders of the accounts. */
export async function cancelAll(
  stack: Stack,
  accounts: readonly LoadedAccount[],
  random: Random,
): Promise<void> {
  for (const { client, accountId } of accounts) {
    const { status, body } = await anyNode(stack, random, client)("DELETE", "/api/v3/openOrders", {
      apiManaged: true,
    });
    if (status !== 200 && !NOT_DECIDED.includes(Number(body.code)))
      throw new Error(`account ${accountId} cannot cancel: ${JSON.stringify(body)}`);
  }
}

/** Of an account whose shard moves, or whose store fails, the orders stay until the next time. */
const NOT_DECIDED: readonly number[] = [-1001, -1006];

type Settled = Readonly<{ inFlight: number; unknown: number }>;

/** Returns whether a node answered that it owns another shard, or is a standby. */
const isElsewhere = (error: unknown): boolean =>
  error instanceof Error && /^control \S+: (421 |503 .*this sandbox is a standby)/.test(error.message);

/** How often a question is asked again while a shard is on its way. */
const READS = 50;

/** Asks each question at any node or through the front, and again if nothing was answered, because a shard may be moving. */
function anyNode(stack: Stack, random: Random, client: SandboxClient): QueriedSandbox["signed"] {
  const front = { url: stack.frontUrl, wsUrl: "", controlUrl: "" };
  return async (...request): Promise<Reply> => {
    for (let left = READS; ; left--) {
      const nodes = stack.running.map(({ process }) => process);
      const requested = signedBy(random.pick([...nodes, front]), client)(...request);
      const reply = await within(LONGEST_ANSWER_MS, request[1], requested);
      if (reply.body.code !== -1001 || left === 0) return reply;
      await sleep(100);
    }
  };
}
