import type { JournalRecord } from "../../model/index.ts";
import type {
  ClusterView,
  NodeEntry,
  NodeRow,
  PlacedPrint,
  PrintRange,
  ShardLeases,
  ShardOwner,
  TailRange,
} from "../../ports/index.ts";
import { decodeRecord } from "../../wire/index.ts";
import { limited, sortedReleases, sortedShards } from "../shared/index.ts";
import type { Position } from "./append-columns.ts";
import type { Database } from "./database.ts";
import type { Row } from "./driver.ts";
import { headsOf, readTextsOf, takenOver } from "./journal.ts";
import { LEASES } from "./lease-statements.ts";
import { MARKETS } from "./market-statements.ts";
import type { Owner } from "./owner.ts";
import { asGiven, storable, textIn, wholeIn } from "./reading.ts";
import { printOf } from "./volume.ts";

/** Rows of dead nodes that stay, so that an operator sees what became of them. */
const DEAD_KEPT = 16;
const LONGEST_TEXT = 200;

/**
 * Creates the leases of a handle. Their statements do not wait for reads of the engine: a renewal that is late costs the
 * node its shards. From `join` on, what is asked with each beat is given up after a ttl (decision ZI).
 */
export function leases(database: Database, owner: Owner, elsewhere = false): ShardLeases {
  let limitMs: number | undefined;
  const write = (text: string, values: readonly unknown[]): Promise<readonly Row[]> =>
    database.write(text, values, "first");
  const soon = (text: string, values: readonly unknown[]): Promise<readonly Row[]> =>
    database.write(text, values, "first", limitMs);
  return {
    async join(entry) {
      requireEntry(entry);
      limitMs = entry.ttlMs;
      await write(LEASES.dropDead, [DEAD_KEPT]);
      const [counted] = await write(LEASES.count, []);
      const incarnation = wholeIn(counted, 0);
      const { name, address, version, format, kinds, ttlMs, shares = false } = entry;
      const texts = [name, address, version].map(storable);
      const values = [incarnation, ...texts, format, storable(kinds.join("\n")), ttlMs, shares];
      const [row] = await write(LEASES.join, values);
      return { incarnation, clockMs: wholeIn(row, 0) };
    },
    async renew({ incarnation, state, followed }) {
      const [row] = await soon(LEASES.renew, [incarnation, state, followed ?? null]);
      return {
        alive: wholeIn(row, 0) === 1,
        clockMs: wholeIn(row, 1),
        ...(elsewhere && { elsewhere }),
        ...wishIn(row, 2),
      };
    },
    want: async ({ incarnation, wanted }) =>
      (await soon(LEASES.want, [incarnation, wanted ?? null])).length === 1,
    nodes: async () => viewOf(await database.read(LEASES.nodes, [], "first", limitMs)),
    async bury({ incarnation, beat }) {
      const [row] = await soon(LEASES.bury, [incarnation, beat]);
      return wholeIn(row, 0) === 1 || wholeIn(row, 1) === 0;
    },
    async claim(set) {
      const raised = await write(LEASES.claim, [set.incarnation, sortedShards(set)]);
      return raised.length === 0 ? undefined : await takenOver(database, owner, raised);
    },
    async release(set) {
      const released = sortedReleases(set);
      const epochs = released.map(({ epoch = null }) => epoch);
      await write(LEASES.release, [set.incarnation, released.map(({ shard }) => shard), epochs]);
    },
    async assign(assignment) {
      const { to = null, from = null } = assignment;
      const [row] = await write(LEASES.assign, [sortedShards(assignment), to, from]);
      return wholeIn(row, 0);
    },
    async leave(incarnation) {
      await write(LEASES.dieAsOwner, [incarnation]);
      await write(LEASES.leave, [incarnation]);
    },
    heads: () => headsOf(database, limitMs),
    tail: (range) => tail(database, limited(range), limitMs),
    prints: (range) => prints(database, limited(range), limitMs),
  };
}

function requireEntry({ name, address, version, kinds, ttlMs }: NodeEntry): void {
  if (name.length === 0) throw new RangeError("a node needs a name");
  if ([name, address, version].some((text) => text.length > LONGEST_TEXT))
    throw new RangeError(`name, address and version of a node have at most ${LONGEST_TEXT} characters`);
  if (kinds.some((kind) => kind === "" || kind.includes("\n")))
    throw new RangeError("a kind of facts is a word");
  if (!Number.isSafeInteger(ttlMs) || ttlMs < 1)
    throw new RangeError("the ttl of a node is a whole number of milliseconds above 0");
}

function viewOf(rows: readonly Row[]): ClusterView {
  const shards: ShardOwner[] = [];
  const nodes: NodeRow[] = [];
  for (const row of rows) {
    if (row[0] === null) nodes.push(nodeOf(row));
    else {
      const [shard, epoch] = [wholeIn(row, 0), wholeIn(row, 2)];
      shards.push({
        ...{ shard, epoch },
        ...(row[1] !== null && { incarnation: wholeIn(row, 1) }),
        ...(row[15] !== null && { next: wholeIn(row, 15) }),
      });
    }
  }
  return {
    nodes: nodes.sort((a, b) => a.incarnation - b.incarnation),
    shards: shards.sort((a, b) => a.shard - b.shard),
  };
}

function nodeOf(row: Row): NodeRow {
  const kinds = asGiven(textIn(row, 7));
  return {
    incarnation: wholeIn(row, 1),
    name: asGiven(textIn(row, 3)),
    address: asGiven(textIn(row, 4)),
    version: asGiven(textIn(row, 5)),
    format: wholeIn(row, 6),
    kinds: kinds === "" ? [] : kinds.split("\n"),
    state: textIn(row, 8) as NodeRow["state"],
    beat: wholeIn(row, 9),
    dead: textIn(row, 10) === "t",
    ttlMs: wholeIn(row, 11),
    ...wishIn(row, 12),
    ...(row[13] !== null && { followed: wholeIn(row, 13) }),
    ...(textIn(row, 14) === "t" && { shares: true }),
  };
}

/** What is wanted of a node. A wish of a later version is none that this one knows. */
const wishIn = (row: Row | undefined, column: number): Pick<NodeRow, "wanted"> =>
  row?.[column] === "hand-over" ? { wanted: "hand-over" } : {};

/** Owners number from 1 on. Rows before stand for prints of a store that was copied, whose amounts are in the sums alone. */
const FIRST_PLACE: Position = { owner: 0, position: Number.MAX_SAFE_INTEGER };

/**
 * Reads prints in the order of their places. None appears later before one that was returned: the writes of one owner are
 * made one after the other (`Appends.inMarket`), each under the lock of the market journal, so that whoever sees one sees all
 * before it; and a later owner has raised the epoch under that lock, after which no write of an earlier one is accepted.
 */
async function prints(
  database: Database,
  { after = FIRST_PLACE, limit }: PrintRange,
  limitMs: number | undefined,
): Promise<readonly PlacedPrint[]> {
  const rows = await database.read(MARKETS.prints, [after.owner, after.position, limit], "first", limitMs);
  return rows.map((row) => {
    const { owner, position, ...print } = printOf(row);
    return { place: { owner, position }, print };
  });
}

/** Reads, after the heads, as many of the shards with further records as a page can take. */
async function tail(
  database: Database,
  { after, limit }: TailRange,
  limitMs: number | undefined,
): Promise<readonly JournalRecord[]> {
  const shards: { shard: number; after: number }[] = [];
  let further = 0;
  for (const { shard, sequence } of await headsOf(database, limitMs)) {
    const known = after[shard] ?? 0;
    if (sequence <= known) continue;
    shards.push({ shard, after: known });
    further += sequence - known;
    if (further >= limit) break;
  }
  if (shards.length === 0) return [];
  const texts = await readTextsOf(database, { shards, limit }, limitMs);
  return texts.slice(0, limit).map(({ text, ...place }) => decodeRecord(text, place));
}
