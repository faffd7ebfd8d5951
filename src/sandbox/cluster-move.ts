import type { MoveOutcome, MoveProgress, MoveRefusal, NodeReport } from "../cluster/index.ts";
import { isEvened } from "../cluster/internal.ts";
import { MARKET_SHARD } from "../model/index.ts";
import type { ClusterView } from "../ports/index.ts";
import { clean, shardName } from "./cluster-tables.ts";
import { parseWhole, SettingsError } from "./input.ts";

const SHARD_RANGE = { min: 0, max: MARKET_SHARD - 1 };

/**
 * Returns the shards that a word names, by number: numbers, ranges of them and `market`, separated by commas. Throws a
 * SettingsError for any other word.
 */
export function shardsNamed(word: string): readonly number[] {
  const found = new Set<number>();
  for (const part of word.split(",")) {
    const [first, last] = boundsOf(part);
    if (first === undefined || last === undefined || first > last)
      throw new SettingsError(
        `shards are numbers from 0 to ${SHARD_RANGE.max}, ranges and market, such as 7, 0-31 or 0-31,40,market; got ${clean(word)}`,
      );
    for (let shard = first; shard <= last; shard++) found.add(shard);
  }
  return [...found].sort((a, b) => a - b);
}

function boundsOf(part: string): readonly (number | undefined)[] {
  if (part === shardName(MARKET_SHARD)) return [MARKET_SHARD, MARKET_SHARD];
  const [first = "", last = first, ...more] = part.split("-");
  return more.length > 0 ? [] : [parseWhole(first, SHARD_RANGE), parseWhole(last, SHARD_RANGE)];
}

/** Returns shards, which rise, in ranges as {@link shardsNamed} reads them. */
export function rangesOf(shards: readonly number[]): string {
  const ranges: { first: number; last: number }[] = [];
  for (const shard of shards) {
    const range = ranges.at(-1);
    if (range !== undefined && range.last + 1 === shard && shard !== MARKET_SHARD) range.last = shard;
    else ranges.push({ first: shard, last: shard });
  }
  return ranges.map(({ first, last }) => (first === last ? shardName(first) : `${first}-${last}`)).join(",");
}

/** Returns how far a move is, as one line. */
export function moveStep({ left, released, elapsedMs }: MoveProgress): string {
  const free = released === 0 ? "" : `; ${released} of them are released, and it can claim them`;
  return `${(elapsedMs / 1_000).toFixed(1)} s: it does not own ${left} of the shards yet${free}`;
}

/** Shards, and the node to which they were moved. */
export type Moved = Readonly<{ shards: readonly number[]; row: NodeReport }>;

/** Returns whether a node owns shards that were moved to it, and no node is about to give them to another one. */
export function hasStayed(view: ClusterView, { shards, row }: Moved): boolean {
  const isOwn = (shard: number): boolean => view.shards[shard]?.incarnation === row.incarnation;
  return shards.every(isOwn) && !isEvened(view);
}

/**
 * Returns how a move ended, in words for an operator. After a larger move the nodes make their shares even again: then it
 * does not stay.
 */
export function moveText(outcome: MoveOutcome, { shards, row }: Moved, stays: boolean): string {
  const node = `${clean(row.name)} (${row.incarnation})`;
  if (outcome.kind === "moved" && stays) return `${node} owns ${rangesOf(shards)}.\n`;
  if (outcome.kind === "moved")
    return `${node} got ${rangesOf(shards)}, but the nodes make their shares even again, and others may get these shards: see managed-orders cluster shards.\n`;
  const { left, isWithdrawn } = outcome;
  const rest = `${node} has not got ${rangesOf(left)}.`;
  const requested = isWithdrawn
    ? "Their owners are not asked any more; what they have released already is still meant for it."
    : "The database did not confirm that their owners are not asked any more: they may still give them to it.";
  if (outcome.kind === "refused")
    return `${reasonOf(outcome.why, node)} ${rest}${isWithdrawn ? "" : ` ${requested}`}\n`;
  return `${outcome.kind === "limit" ? "The time is over" : "Interrupted"}. ${rest} ${requested}\n`;
}

function reasonOf(why: MoveRefusal, node: string): string {
  switch (why) {
    case "no-such-node":
      return `${node} has left.`;
    case "dead":
      return `${node} is dead: another node has declared it so.`;
    case "does-not-share":
      return `${node} takes all shards or none: it was not started as a node that shares them.`;
    case "owner-does-not-share":
      return "An owner takes all shards or none: see managed-orders cluster nodes, and drain it instead.";
    default:
      return "Somebody has assigned some of the shards to another node since, or withdrawn that: see managed-orders cluster shards.";
  }
}
