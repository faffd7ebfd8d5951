import { join } from "node:path";
import { figure, medianOf, printTable } from "../../bench/measure.ts";
import { runLoad, type Source } from "./lanes.ts";
import { restCancel, restPlacement } from "./orders.ts";
import { startServer } from "./processes.ts";

const CONNECTIONS = 128;
const SAMPLE_SECONDS = 10;
const MEGABYTE = 1_048_576;
/** The replay guard fills within the first samples, so that its own growth ends early. */
const GUARDED_SIGNATURES = 10_000;

/**
 * Orders that rest before the first cancel: each was answered by then, since every connection sends one request at a
 * time.
 */
const RESTING = 10 * CONNECTIONS;

/** Alternates a placement and the cancel of the order that was placed {@link RESTING} placements ago. */
function pairs(from: number, endsAtMs: number): Readonly<{ source: Source; placed: () => number }> {
  let placed = from;
  let due: number | undefined;
  return {
    source: () => {
      if (due !== undefined) {
        const cancel = restCancel(due);
        due = undefined;
        return cancel;
      }
      if (Date.now() >= endsAtMs) return undefined;
      const n = placed++;
      if (n >= RESTING) due = n - RESTING;
      return restPlacement(n);
    },
    placed: () => placed,
  };
}

/** Places and cancels the same number of orders, and prints the service's memory every ten seconds. */
export async function soak({
  folder,
  seconds,
}: Readonly<{ folder: string; seconds: number }>): Promise<void> {
  const path = join(folder, "soak.db");
  const server = await startServer("service", { path, guardedSignatures: GUARDED_SIGNATURES });
  const samples: Readonly<{ orders: number; rss: number; heap: number }>[] = [];
  let from = 0;
  const started = Date.now();
  while (Date.now() - started < seconds * 1_000) {
    const { source, placed } = pairs(from, Date.now() + SAMPLE_SECONDS * 1_000);
    const { failures } = await runLoad({
      port: server.port,
      protocol: "http",
      connections: CONNECTIONS,
      source,
    });
    if (failures.length > 0) throw new Error(`refused: ${failures.join("\n")}`);
    from = placed();
    const { rssBytes, heapBytes, openParents } = await server.state();
    samples.push({ orders: from, rss: rssBytes / MEGABYTE, heap: heapBytes / MEGABYTE });
    const { rss, heap } = samples.at(-1) ?? { rss: 0, heap: 0 };
    console.log(
      `${Math.round((Date.now() - started) / 1_000)} s  ${figure(from)} orders placed, ${openParents} open, RSS ${figure(rss)} MB, heap ${figure(heap)} MB`,
    );
  }
  await server.close();
  const third = Math.max(1, Math.floor(samples.length / 3));
  const row = (name: string, of: "rss" | "heap"): string[] => {
    const [middle, last] = [samples.slice(third, 2 * third), samples.slice(-third)].map((part) =>
      medianOf(part.map((sample) => sample[of])),
    );
    return [name, figure(middle ?? 0), figure(last ?? 0), figure((last ?? 0) / (middle ?? 1))];
  };
  printTable(`Memory with as many orders ended as placed, ${figure(from)} orders`, [
    ["", "middle third, MB", "last third, MB", "last / middle"],
    row("RSS", "rss"),
    row("heap after collection", "heap"),
  ]);
}
