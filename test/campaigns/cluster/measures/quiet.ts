import { setTimeout as sleep } from "node:timers/promises";
import { figure, printTable } from "../../../bench/measure.ts";
import type { Server } from "../../../postgres/server.ts";
import { rowsOf, session } from "../../../postgres/session.ts";
import { Stack } from "../stack.ts";
import { LONGEST_MS, type MeasureOptions, settingsOf, verdict } from "./measure-options.ts";

const NODES = 3;
const GOAL = 1;

/** Pause before the first count, in ttl: joining nodes get their shards, and read more often for a while. */
const SETTLES_TTLS = 4;

/** Longest text of a statement that is shown. */
const SHOWN = 70;

/** Counts the statements of nodes without clients and orders, with the counters of Postgres. */
export async function measureQuiet(options: MeasureOptions): Promise<void> {
  const { binaries, isSmall, ttlMs, say } = options;
  const stack = await Stack.open({
    ...{ nodes: NODES, shares: true, binaries, market: "manual", settings: settingsOf(options) },
    serverSettings: { shared_preload_libraries: "pg_stat_statements" },
  });
  try {
    await stack.even(LONGEST_MS);
    await sleep(SETTLES_TTLS * ttlMs);
    const seconds = isSmall ? 5 : 6 * (ttlMs / 1_000);
    say(`counting for ${seconds} s ...`);
    printQuiet(await countedFor(seconds, stack.server), seconds);
  } finally {
    await stack.close();
  }
}

/** A statement that was counted, and how often it was executed. */
type Counted = Readonly<{ text: string; calls: number }>;

async function countedFor(seconds: number, server: Server): Promise<readonly Counted[]> {
  const client = await session(server);
  try {
    await client.query("CREATE EXTENSION pg_stat_statements; SELECT pg_stat_statements_reset()");
    await sleep(seconds * 1_000);
    const rows = await rowsOf(
      client,
      "SELECT s.query, s.calls FROM pg_stat_statements AS s WHERE s.query NOT LIKE '%pg_stat_statements%' ORDER BY s.calls DESC",
    );
    return rows.map(([text, calls]) => ({ text: text ?? "", calls: Number(calls) }));
  } finally {
    await client.end();
  }
}

function printQuiet(counted: readonly Counted[], seconds: number): void {
  const rateOf = (calls: number): number => calls / seconds / NODES;
  const all = rateOf(counted.reduce((sum, { calls }) => sum + calls, 0));
  printTable(`Statements of ${NODES} quiet nodes, for each node and second`, [
    ["statement", "rate", "goal", ""],
    ["all", figure(all), `<= ${GOAL}`, verdict(all, GOAL)],
    ...counted.map(({ text, calls }) => {
      const shown = text.replaceAll(/\s+/g, " ").trim().slice(0, SHOWN);
      return [shown, figure(rateOf(calls)), "", ""];
    }),
  ]);
}
