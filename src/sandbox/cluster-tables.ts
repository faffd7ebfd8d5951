import type { ClusterReport, DrainOutcome, DrainProgress, NodeReport } from "../cluster/index.ts";
import { MARKET_SHARD } from "../model/index.ts";

/** A node by number and name. */
export type NamedNode = Readonly<{ incarnation: number; name: string }>;

/** A shard as `cluster shards` shows it. */
type ShardRow = Readonly<{
  shard: number;
  epoch: number;
  sequence: number;
  owner?: NamedNode;
  /** The live node to which the owner shall give it. */
  next?: NamedNode;
  snapshot?: Readonly<{ sequence: number; parents: number }>;
}>;

/** Returns a text of a node without characters that a terminal obeys. */
export const clean = (text: string): string => text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "?");

/** Returns the nodes as a table, and a sentence about shards that nobody serves. */
export function nodesText({ nodes, shards, unserved }: ClusterReport): string {
  if (nodes.length === 0) return "No node has joined this store.\n";
  const rows = nodes.map((row) => [
    ...[String(row.incarnation), clean(row.name), row.address === "" ? "-" : clean(row.address)],
    ...[row.version === "" ? "-" : clean(row.version), row.state, String(row.beat), lifeOf(row)],
    ...[row.shares ? "yes" : "no", String(row.shards), nextOf(row)],
    ...[row.behind === undefined ? "-" : `${row.behind} records`, row.wanted ?? "-"],
  ]);
  const titles = [
    ...["NUMBER", "NAME", "ADDRESS", "VERSION", "STATE", "BEAT", "SEEN"],
    ...["SHARES", "SHARDS", "NEXT", "BEHIND", "WANTED"],
  ];
  const verdict =
    unserved === 0
      ? "All 256 shards and the market journal have an owner that lives."
      : `${unserved} of ${shards.length}, 256 shards and the market journal, have no owner that was seen to live.`;
  return `${tableOf([titles, ...rows])}${verdict}\n`;
}

function lifeOf({ life, watchedMs }: NodeReport): string {
  return life === "silent" ? `no beat in ${(watchedMs / 1_000).toFixed(1)} s` : life;
}

/** How many shards a node will have once those have moved that are assigned to it or to others. */
function nextOf({ shards, coming, going }: NodeReport): string {
  return coming + going === 0 ? "-" : String(shards + coming - going);
}

/**
 * Returns the shards as a table: neighbours that agree in epoch, owner and node to which they go are one row, unless `all`
 * is set.
 */
export function shardsText(shards: readonly ShardRow[], all: boolean): string {
  const groups: ShardRow[][] = [];
  for (const row of shards) {
    const group = groups.at(-1);
    const [first] = group ?? [];
    const isSame =
      first?.epoch === row.epoch &&
      first.owner?.incarnation === row.owner?.incarnation &&
      first.next?.incarnation === row.next?.incarnation;
    if (!all && row.shard !== MARKET_SHARD && group !== undefined && isSame) group.push(row);
    else groups.push([row]);
  }
  const titles = [
    ...["SHARDS", "OWNER", "NEXT", "EPOCH"],
    ...[all ? "LAST RECORD" : "RECORDS", "OPEN AT LAST SNAPSHOT"],
  ];
  return tableOf([titles, ...groups.map(rangeOf)]);
}

function rangeOf(group: readonly ShardRow[]): readonly string[] {
  const [first, last] = [group[0], group.at(-1)];
  const { owner, next, epoch = 0 } = first ?? {};
  const images = group.flatMap(({ snapshot }) => (snapshot === undefined ? [] : [snapshot.parents]));
  const sum = (values: readonly number[]): number => values.reduce((total, one) => total + one, 0);
  return [
    first === last ? shardName(first?.shard) : `${first?.shard}-${last?.shard}`,
    ...[owner === undefined ? "nobody" : nodeName(owner), next === undefined ? "-" : nodeName(next)],
    String(epoch),
    first?.shard === MARKET_SHARD ? "-" : String(sum(group.map(({ sequence }) => sequence))),
    images.length === 0 ? "-" : String(sum(images)),
  ];
}

const nodeName = ({ name, incarnation }: NamedNode): string => `${clean(name)} (${incarnation})`;

/** Returns the word for a shard: its number, or `market`. */
export const shardName = (shard = 0): string => (shard === MARKET_SHARD ? "market" : String(shard));

/** Returns how far a drain is, as one line. */
export function drainStep({ step, shards, elapsedMs }: DrainProgress): string {
  const since = `${(elapsedMs / 1_000).toFixed(1)} s`;
  if (step === "released") return `${since}: its shards are released; waiting until another node owns them`;
  if (step === "handing-over") return `${since}: it hands ${shards} shards over as soon as a node is ready`;
  return `${since}: asked; it owns ${shards} shards`;
}

/** Returns how a drain ended, in words for an operator. */
export function drainText(outcome: DrainOutcome, row: NodeReport): string {
  const node = `${clean(row.name)} (${row.incarnation})`;
  switch (outcome.kind) {
    case "drained":
      return `${node} has handed over. ${outcome.owners.length === 1 ? "Owner" : "Owners"} now: ${outcome.owners.join(", ")}.\n`;
    case "nothing-owned":
      return `${node} owns no shards: there is nothing to hand over.\n`;
    case "not-live":
      return `${node} is dead or gone: another node takes its shards over by itself.\n`;
    case "no-standby":
      return `${node} goes on: no other node was ready to take over. See managed-orders cluster nodes.\n`;
    default:
      return `${outcome.kind === "late" ? "The time is over" : "Interrupted"}. ${restOf(outcome, node)}\n`;
  }
}

function restOf(
  { step, isWithdrawn }: Extract<DrainOutcome, { isWithdrawn: boolean }>,
  node: string,
): string {
  if (step === "released") return `${node} has released its shards, and no other node has claimed them yet.`;
  if (!isWithdrawn)
    return `The database did not confirm that ${node} is not asked any more: it may still hand over.`;
  if (step === "handing-over")
    return `${node} is not asked any more, but had begun: it hands over if a node is ready within two ttl, and goes on otherwise.`;
  return `${node} is not asked any more. It goes on, unless it took notice in this moment.`;
}

function tableOf(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => [...(row[column] ?? "")].length)),
  );
  const lines = rows.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return `${lines.join("\n")}\n`;
}
