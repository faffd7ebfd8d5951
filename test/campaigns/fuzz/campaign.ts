import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodeQuery } from "../../../src/signing/index.ts";
import { LENT, QUIET, TRADERS } from "./callers.ts";
import { bytesOf, field, signed, written } from "./draft.ts";
import { HttpLane } from "./http-lane.ts";
import { type Failure, Runner } from "./runner.ts";
import type { ServerReport } from "./server.ts";
import { type ServerProcess, startServer } from "./server-process.ts";
import type { Tally } from "./tally.ts";

/** How long to fuzz, and how to report. */
export type Campaign = Readonly<{
  /** The bundled program that runs as the server's process. */
  program: string;
  seed: number;
  cases: number;
  /** Cases between two checks of the server. */
  batch: number;
  report: (line: string) => void;
}>;

/** The results of a campaign. */
export type CampaignResult = Readonly<{
  sent: number;
  seconds: number;
  kinds: Tally;
  successes: Tally;
  statuses: Tally;
  codes: Tally;
  closes: Tally;
  created: number;
  events: number;
  memory: readonly Readonly<{ rssMb: number; heapMb: number }>[];
  longestTurnMs: number;
  slowestProbeMs: number;
  reported: Readonly<Record<string, number>>;
  problems: readonly string[];
}>;

/** Requests at once. */
const LANES = 12;
const MEGABYTE = 1_048_576;
/** Limit in milliseconds for an answer to another client, and for a turn of the event loop. */
const SECOND_MS = 1_000;
const MOST_RSS_MB = 700;
/** Limits of the heap's growth from the first batch to the last, and per stored order. */
const MOST_GROWTH_MB = 48;
const MOST_ORDER_MB = 8_192 / MEGABYTE;

/** Sends hostile requests to a server in a separate process, and checks all rules after every batch. */
export async function fuzz({ program, seed, cases, batch, report }: Campaign): Promise<CampaignResult> {
  const folder = mkdtempSync(join(tmpdir(), "managed-orders-fuzz-"));
  const server = await startServer(program, join(folder, "fuzz.db"));
  const runner = new Runner({ port: server.port, seed, lanes: LANES });
  const problems: string[] = [];
  const memory: { rssMb: number; heapMb: number }[] = [];
  let probed = 0;
  let last: ServerReport | undefined;
  const started = Date.now();
  try {
    while (runner.sent < cases && problems.length === 0) {
      const from = Date.now();
      const before = runner.sent;
      await runner.run(Math.min(batch, cases - runner.sent));
      const rate = Math.round(((runner.sent - before) * 1_000) / (Date.now() - from));
      probed = Math.max(probed, await probe(server.port));
      last = await server.report();
      memory.push({ rssMb: last.rssBytes / MEGABYTE, heapMb: last.heapBytes / MEGABYTE });
      problems.push(...runner.failures.flatMap(linesOf), ...problemsOf(last, runner), ...slow(probed));
      report(
        `${runner.sent} sent, ${rate}/s, ${runner.ledger.created} orders created, ${last.parents} open, ` +
          `RSS ${Math.round(last.rssBytes / MEGABYTE)} MB, heap ${Math.round(last.heapBytes / MEGABYTE)} MB, ` +
          `probe ${Math.round(probed)} ms, longest turn ${Math.round(last.longestTurnMs)} ms`,
      );
    }
    if (problems.length === 0) problems.push(...grown(memory, runner), ...(await lastLook(server, runner)));
  } catch (error) {
    const { message } = error instanceof Error ? error : new Error(String(error));
    problems.push(server.ended() ?? message);
  } finally {
    runner.close();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
  const { kinds, successes, statuses, codes, closes, events, sent } = runner;
  return {
    ...{ sent, kinds, successes, statuses, codes, closes, events, memory, problems },
    seconds: (Date.now() - started) / 1_000,
    created: runner.ledger.created,
    longestTurnMs: last?.longestTurnMs ?? 0,
    slowestProbeMs: probed,
    reported: last?.reported ?? {},
  };
}

const linesOf = ({ index, kind, problems, bytes }: Failure): readonly string[] => [
  `case ${index} (${kind}): ${problems.join("; ")}\n${JSON.stringify(bytes)}`,
];

const slow = (probeMs: number): readonly string[] =>
  probeMs > SECOND_MS ? [`another client waited ${Math.round(probeMs)} ms for an answer`] : [];

function grown(memory: CampaignResult["memory"], { ledger }: Runner): readonly string[] {
  const growth = (memory.at(-1)?.heapMb ?? 0) - (memory[0]?.heapMb ?? 0);
  const most = MOST_GROWTH_MB + ledger.created * MOST_ORDER_MB;
  return growth > most ? [`the heap has grown by ${Math.round(growth)} MB`] : [];
}

/** Measures how long an unauthenticated client waits for an answer. Throws if the answer is invalid. */
async function probe(port: number): Promise<number> {
  const lane = new HttpLane(port);
  const from = performance.now();
  const reply = await lane.ask(Buffer.from("GET /api/time HTTP/1.1\r\nHost: a\r\n\r\n"));
  lane.close();
  if (reply?.status !== 200) throw new Error(`the probe was answered with ${reply?.status ?? "nothing"}`);
  return performance.now() - from;
}

/** Returns the faults in a server's report. */
function problemsOf(report: ServerReport, { ledger }: Runner): readonly string[] {
  const { noticed, reported, longestTurnMs, rssBytes, happenings, open } = report;
  const quiet = QUIET.filter((accountId) => open[accountId]?.length !== 3);
  return [
    ...noticed,
    ...Object.keys(reported).map((name) => `the service told its operator: ${name}`),
    ...(longestTurnMs > SECOND_MS ? [`the event loop was busy for ${Math.round(longestTurnMs)} ms`] : []),
    ...(rssBytes > MOST_RSS_MB * MEGABYTE ? [`${Math.round(rssBytes / MEGABYTE)} MB of memory`] : []),
    ...ledger.check(happenings),
    ...quiet.map(
      (accountId) => `account ${accountId}, for which no request was signed, has other orders than before`,
    ),
  ];
}

/** Checks at the end that the journal restores the state, and that clients can read it. */
async function lastLook(server: ServerProcess, { ledger }: Runner): Promise<readonly string[]> {
  const equal = await server.verify();
  const before = await server.report();
  const problems: string[] = equal ? [] : ["the journal, replayed, gives another state"];
  problems.push(...ledger.check(before.happenings));
  const read = new Map<number, ReadonlySet<number>>();
  for (const { accountId } of TRADERS) read.set(accountId, await openOrdersOf(server.port, accountId));
  read.set(LENT, await openOrdersOf(server.port, LENT));
  const after = await server.report();
  for (const [accountId, ids] of read) {
    const [first, then] = [before.open[accountId] ?? [], after.open[accountId] ?? []];
    // An order may end by itself while it is read.
    const wrong =
      [...ids].filter((id) => !first.includes(id)).length + then.filter((id) => !ids.has(id)).length;
    if (wrong > 0)
      problems.push(`account ${accountId} reads ${wrong} orders otherwise than the engine has them`);
  }
  return problems;
}

/** Ids of all open orders of an account, read page by page as a client does. */
async function openOrdersOf(port: number, accountId: number): Promise<ReadonlySet<number>> {
  const caller = TRADERS.find(({ accountIds }) => accountIds.includes(accountId));
  if (caller === undefined) throw new Error(`no caller reads account ${accountId}`);
  const lane = new HttpLane(port);
  const ids = new Set<number>();
  for (let after = 0, first = true; first || after !== 0; first = false) {
    const query = {
      apiManaged: true,
      limit: 1_000,
      afterOrderId: after,
      account: accountId,
      nonce: `${Date.now()}-${after}`,
    };
    const request = signed({
      ...written({
        ...{ caller, method: "GET", path: "/api/v3/openOrders", place: "header" },
        ...{
          query: Object.entries(query).map(([name, value]) => field(name, value)),
          body: [],
          bodyAs: "json",
        },
      }),
      query: encodeQuery(query),
      headers: [["X-Forwarded-For", "10.200.0.1"]],
    });
    const reply = await lane.ask(bytesOf(request));
    if (reply?.status !== 200)
      throw new Error(`openOrders was answered with ${reply?.status} ${reply?.body}`);
    const page = JSON.parse(reply.body) as { nextOrderId: number; orders: { orderId: number }[] };
    for (const { orderId } of page.orders) ids.add(orderId);
    after = page.nextOrderId;
  }
  lane.close();
  return ids;
}
