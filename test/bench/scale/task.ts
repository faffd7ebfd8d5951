import { appendFileSync, existsSync, readFileSync, writeSync } from "node:fs";
import {
  createMemoryAccounts,
  createMemoryExposure,
  createMemoryInstruments,
} from "../../../src/adapters/memory/index.ts";
import { createEntropy, createSystemClock } from "../../../src/adapters/node/index.ts";
import { openSqliteStore } from "../../../src/adapters/sqlite/index.ts";
import { type Engine, openEngine, type PageRequest } from "../../../src/engine/index.ts";
import { managedIdOf } from "../../../src/lifecycle/index.ts";
import type { ChildRequest } from "../../../src/model/index.ts";
import { orderIntent } from "../../../src/requests/index.ts";
import { createScriptedVenue, filled } from "../../support/scripted-venue.ts";
import { ACCOUNTS, accountIn } from "../bench-engine.ts";
import { medianOf } from "../measure.ts";
import { type Turns, watchCommits, watchTurns } from "../turn-watch.ts";
import { instrumentsOf, LARGEST, type Plan, symbolOf } from "./plan.ts";

/** The task of a process: the measurements until the kill, or the rest after it. */
export type Task = Readonly<{ plan: Plan; part: "until-kill" | "after-kill" }>;

/** Name and figures of one line. */
export type Said = Readonly<{ name: string; figures: Readonly<Record<string, number | boolean>> }>;

const PLACEMENTS = 20_000;
const IN_FLIGHT = 512;
const PAGES = 200;

/** Written synchronously: the process may be killed in the next statement. */
const say = (name: string, figures: Said["figures"]): void =>
  void writeSync(1, `${JSON.stringify({ name, figures })}\n`);

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e3;
};

const turnsOf = ({ total, longest, longestOwn, longestGc, longestCommit }: Turns): Said["figures"] => {
  return { total, longest, longestOwn, longestGc, longestCommit };
};

/** A venue that writes a line for each child it receives to a file that outlives the process. */
function venueOf({ folder }: Plan) {
  const path = `${folder}/sent`;
  const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n").filter(Boolean) : [];
  const sent = new Set(lines.map((line) => line.split(" ")[0]));
  const parents = lines.map((line) => Number(line.split(" ")[1]));
  const venue = createScriptedVenue({ canVoid: true });
  venue.onSubmit = (child: ChildRequest) => {
    appendFileSync(path, `${child.childId} ${child.parentOrderId}\n`);
    parents.push(child.parentOrderId);
    venue.submitted.length = 0;
    venue.deadlines.length = 0;
    return filled(child);
  };
  venue.onLookup = (child) => (sent.has(child.childId) ? filled(child) : "not-found");
  return { venue, parents };
}

type Opened = Readonly<{ engine: Engine; sentFor: readonly number[] }>;

/** Opens the engine with the options of the sandbox: a separate file, no limit below the size of the store. */
async function open(plan: Plan): Promise<Opened> {
  const { venue, parents } = venueOf(plan);
  const account = (accountId: number) => ({
    account: { accountId, userId: accountId, enableDataSharing: true, delegates: [], restricted: false },
    keys: [],
  });
  let engine: Engine | undefined;
  const before = cpuMs();
  const turns = await watchTurns(async () => {
    engine = await openEngine({
      store: openSqliteStore({ path: `${plan.folder}/orders.db`, exclusive: true }),
      instruments: createMemoryInstruments(instrumentsOf(plan)),
      accounts: createMemoryAccounts(ACCOUNTS.map(account)),
      exposure: createMemoryExposure(),
      venue,
      clock: createSystemClock(),
      entropy: createEntropy(),
      settings: {
        ...{ advancedOrders: true, maxOpenParents: 4_000_000, maxOpenParentsPerAccount: 1_000_000 },
        ...{ retryMinMs: 10, retryMaxMs: 50, quoteMaxAgeMs: 600_000, venueQuietMs: 2_000 },
      },
    });
  });
  if (engine === undefined) throw new Error("the engine did not open");
  const { openParents } = engine.metrics();
  const cpu = cpuMs() - before;
  say("opening", { ...turnsOf(turns), openParents, cpu, rss: process.memoryUsage().rss / 2 ** 20 });
  return { engine, sentFor: parents };
}

async function placements(engine: Engine, plan: Plan): Promise<void> {
  const intents = Array.from({ length: PLACEMENTS }, (_, n) =>
    orderIntent({
      ...{ symbol: symbolOf(1 + (n % (plan.instruments - 1))), side: "SELL", type: "STOP_LOSS" },
      ...{ quantity: "0.125", stopPrice: "4000", newClientOrderId: `scale-placement-${n}` },
    }),
  );
  const before = cpuMs();
  const turns = await watchTurns(async () => {
    for (let n = 0; n < PLACEMENTS; n += IN_FLIGHT)
      await Promise.all(
        intents
          .slice(n, n + IN_FLIGHT)
          .map((intent, k) => engine.place({ accountId: accountIn((n + k) % 256), intent })),
      );
  });
  const cpu = (cpuMs() - before) / PLACEMENTS;
  say("placements", { ...turnsOf(turns), perSecond: PLACEMENTS / (turns.total / 1e3), cpuUs: cpu * 1e3 });
}

type PageCase = Readonly<{ name: string; request: Omit<PageRequest, "accountId" | "limit"> }>;

const history = (newestFirst: boolean, count: number): PageCase["request"] => {
  const afterOrderId = count === 0 ? 0 : managedIdOf({ count, shard: 0 });
  return { includeHistory: true, newestFirst, afterOrderId };
};

/** Reads pages of ten of the largest account: the first, one in the middle, and the last. */
function pageCases({ ended, open }: Plan): readonly PageCase[] {
  const [middle, last] = [Math.floor(ended / 4), Math.floor(ended / 2 + open / 10) - 10];
  const resting = { includeHistory: false, newestFirst: false };
  return [
    { name: "open, first", request: { ...resting, afterOrderId: 0 } },
    {
      name: "open, middle",
      request: {
        ...resting,
        afterOrderId: managedIdOf({ count: Math.floor(ended / 2 + open / 20), shard: 0 }),
      },
    },
    { name: "history, first", request: history(false, 0) },
    { name: "history, middle", request: history(false, middle) },
    { name: "history, last", request: history(false, last) },
    { name: "newest first, first", request: history(true, 0) },
    { name: "newest first, middle", request: history(true, middle) },
    { name: "newest first, last", request: history(true, 11) },
  ];
}

async function pages(engine: Engine, plan: Plan): Promise<void> {
  for (const { name, request } of pageCases(plan)) {
    const taken: number[] = [];
    let found = 0;
    let all = 0;
    for (let n = 0; n < PAGES; n++) {
      const start = process.hrtime.bigint();
      const { orders, total } = await engine.page({ ...request, accountId: LARGEST, limit: 10 });
      taken.push(Number(process.hrtime.bigint() - start) / 1e6);
      [found, all] = [orders.length, total];
    }
    const cold = taken[0] ?? 0;
    say(`page: ${name}`, {
      median: medianOf(taken),
      cold,
      most: Math.max(...taken.slice(1)),
      found,
      total: all,
    });
  }
}

/**
 * Sends one quote that triggers all stops of the first instrument; resolves when the venue has received the given
 * number.
 */
async function fires({ engine, sentFor }: Opened, sent: number): Promise<Turns> {
  const quote = (): unknown => engine.market.quote({ symbol: symbolOf(0), bid: "8999", ask: "9001" });
  return await watchTurns(async () => {
    quote();
    const heart = setInterval(quote, 1_000);
    while (sentFor.length < sent) await turn();
    clearInterval(heart);
  });
}

async function untilKill(plan: Plan): Promise<void> {
  const opened = await open(plan);
  const { engine } = opened;
  engine.market.quote({ symbol: symbolOf(0), bid: "9999", ask: "10000" });
  await placements(engine, plan);
  await pages(engine, plan);
  const half = Math.ceil(plan.fires / 2);
  const turns = await fires(opened, half);
  say("fires until the kill", { ...turnsOf(turns), sent: opened.sentFor.length });
  process.kill(process.pid, "SIGKILL");
}

async function afterKill(plan: Plan): Promise<void> {
  const opened = await open(plan);
  const { engine, sentFor } = opened;
  const turns = await fires(opened, plan.fires);
  while (engine.metrics().openParents > plan.open + PLACEMENTS - plan.fires) await turn();
  say("fires after the kill", { ...turnsOf(turns), sent: sentFor.length, once: new Set(sentFor).size });
  let verified = { equal: false, records: 0 };
  const verifying = await watchTurns(async () => {
    verified = await engine.verify();
  });
  say("verify", { ...turnsOf(verifying), equal: verified.equal, records: verified.records });
  await engine.close();
}

/** Runs a task in this process and prints each line as JSON. */
export async function runTask({ plan, part }: Task): Promise<void> {
  watchCommits();
  await (part === "until-kill" ? untilKill(plan) : afterKill(plan));
}
