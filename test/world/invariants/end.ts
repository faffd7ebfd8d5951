import { MARKET_SHARD } from "../../../src/model/index.ts";
import type { Client } from "../clients/client.ts";
import { recordsOf } from "../departures.ts";
import { marksKey } from "../journal-book.ts";
import type { WorldParts } from "../parts.ts";
import { checkBars, checkNodes } from "./cluster.ts";

/** Checks that the journal alone reproduces the current state (I53). Runs only when nothing is in progress. */
export async function verifyNow({ fleet, requireThat, journal, time }: WorldParts): Promise<void> {
  const instance = fleet.serving(MARKET_SHARD);
  if (
    instance?.engine === undefined ||
    !instance.holdings.owns(MARKET_SHARD) ||
    instance.appending + instance.reading > 0
  )
    return;
  let over = false;
  const verified = instance.engine.verify().then(
    ({ equal, live, replayed }) => {
      over = true;
      requireThat(equal, "I53", () => `live ${live}, replayed ${replayed}, ${journal.records} records`);
    },
    () => {
      over = true;
    },
  );
  for (let left = 20; left > 0 && !over; left--) await time.settle();
  if (over) await verified;
}

/** Checks after the end that venue, clients and journal agree on each order and list. */
export async function checkEnd(parts: WorldParts, clients: readonly Client[]): Promise<void> {
  const { journal, venue, requireThat, ledger, fleet } = parts;
  for (const order of journal.orders.values()) {
    const executed = venue.executedOf(order.orderId);
    // A report on an order that has left is refused.
    const isCounted = journal.departed.has(order.orderId)
      ? order.executed <= executed
      : order.executed === executed;
    requireThat(isCounted, "I10", () => {
      const rows = venue.rowsOf
        .get(order.orderId)
        ?.map(({ child, state, shown, fills }) => [child.childId, state, shown, fills.length]);
      const { ended, child, orderId } = order;
      return `order ${orderId} counts ${order.executed}, the venue executed ${executed}: ${JSON.stringify({ ended, child, rows }, textOfBigint)}`;
    });
  }
  for (const { childId } of [...venue.rows.values()].map(({ child }) => child))
    requireThat(childId.startsWith("aqc-"), "I06", childId);
  for (const entry of ledger.entries.values()) {
    if (ledger.mayExist(entry) || entry.intent.kind === "list") continue;
    const found = journal.named(entry.intent.accountId, entry.intent.clientId);
    requireThat(found === undefined, "I02", () => `${entry.intent.clientId} was refused, but exists`);
  }
  await checkDisk(parts);
  await checkMarket(parts);
  for (const client of clients) {
    const audit = client.audit();
    let over = false;
    void audit.finally(() => {
      over = true;
    });
    for (let round = 0; round < 400 && !over; round++) await parts.time.pass(50);
    requireThat(over, "I62", "a client waits for an answer although no fault is active");
    if (over) await audit;
  }
  for (const client of clients) checkStream(parts, client);
  const engine = fleet.serving(MARKET_SHARD)?.engine;
  if (engine === undefined) return;
  const { equal } = await engine.verify();
  requireThat(equal, "I53", "replaying the journal does not give the current state");
  if (parts.plan.cluster === undefined) return;
  if (!parts.plan.brings.volumeHistory) await checkBars(parts);
  await checkNodes(parts, parts.plan.cluster);
}

/** Checks that the disk contains the same records as were observed becoming durable, except for those that have left. */
async function checkDisk({ journal, disk, departures, requireThat }: WorldParts): Promise<void> {
  let records = 0;
  for (const [shard, sequence] of journal.heads) {
    const length = (await recordsOf(disk, shard)).length + (departures?.count(shard) ?? 0);
    requireThat(length === sequence, "I01", () => `shard ${shard} has ${length} records of ${sequence}`);
    records += length;
  }
  requireThat(records === journal.records, "I01", () => `${records} records of ${journal.records}`);
}

/** Checks that every stored mark was written by the owner of the market journal, and that each print is counted once. */
async function checkMarket({ journal, disk, requireThat }: WorldParts): Promise<void> {
  for (const mark of await disk.reader.readMarks()) {
    const { symbol, side, position, price } = mark;
    const written = journal.marks.get(marksKey(mark))?.find((one) => one.position === position);
    const what = (): string =>
      `mark ${position} of ${symbol} ${side} is ${price}, written was ${written?.price}`;
    requireThat(written?.price === price, "I31", what);
  }
  const { totals } = await disk.reader.readVolume();
  for (const [symbol, volume] of journal.volumes) {
    const stored = totals.find((one) => one.symbol === symbol)?.total;
    requireThat(
      stored === volume,
      "I34",
      () => `the volume of ${symbol} is ${stored}, its prints say ${volume}`,
    );
  }
}

/** Checks that a stream that was open all the time has reported every execution (I54). */
function checkStream({ requireThat }: WorldParts, { transport }: Client): void {
  // In a short run, events may still wait for a reader that does not read.
  if (transport.stream?.live !== true || transport.stream.slow) return;
  const missing = transport.stream.missing();
  requireThat(missing.length === 0, "I54", () => `executions ${missing.slice(0, 5)} were not reported`);
}

const textOfBigint = (_name: string, value: unknown): unknown =>
  typeof value === "bigint" ? String(value) : value;
