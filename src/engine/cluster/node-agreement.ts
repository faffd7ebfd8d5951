import type { ClusterView, NodeEntry, NodeRow } from "../../ports/index.ts";

/** What a version can read of a journal, and so what it may write. */
type Readable = Pick<NodeEntry, "format" | "kinds">;

/** Returns what a reader cannot read of what a writer may write, in words for an operator; empty if it can read all. */
function unreadable(reader: Readable, writer: Readable): readonly string[] {
  const known = new Set(reader.kinds);
  const kinds = writer.kinds.filter((kind) => !known.has(kind));
  return [
    ...(writer.format > reader.format ? [`format ${writer.format} of the journal`] : []),
    ...(kinds.length > 0 ? [`facts of kind ${kinds.slice(0, 3).join(", ")}`] : []),
  ];
}

const nameOf = ({ name, version }: NodeRow): string => `"${name}"${version === "" ? "" : ` (${version})`}`;

/** Returns why a node should not take shards over from a live owner of some (decisions YE, YF); empty if it may. */
export function objectionsTo(owner: NodeRow, own: NodeEntry): readonly string[] {
  const objections = unreadable(own, owner).map(
    (what) =>
      `node ${nameOf(owner)}, which owns the shards, may write ${what}, which this version cannot read: run that version here`,
  );
  if (owner.ttlMs !== own.ttlMs)
    objections.push(
      `cluster.ttlMs is ${own.ttlMs} here and ${owner.ttlMs} at node ${nameOf(owner)}, which owns the shards: give all nodes the same value`,
    );
  return objections;
}

/**
 * Returns a function that tells whether a node can read what every live node of the view may write. All nodes that read the
 * same get the same answers.
 */
export function readersIn({ nodes }: ClusterView): (row: NodeRow) => boolean {
  const writers = nodes.filter(({ dead }) => !dead);
  return (row) => writers.every((writer) => unreadable(row, writer).length === 0);
}

/** Returns why some nodes cannot follow an engine that writes what this version writes; undefined if all can. */
export function outdatedIn(rows: readonly NodeRow[], own: NodeEntry): string | undefined {
  const problems = rows.map((row) => outdated(row, own)).filter((problem) => problem !== undefined);
  return problems.length === 0 ? undefined : problems.slice(0, 3).join("; ");
}

/** Returns why a node cannot follow an engine that writes what this version writes; undefined if it can. */
export function outdated(row: NodeRow, own: NodeEntry): string | undefined {
  const [what] = unreadable(row, own);
  if (what === undefined) return undefined;
  return `node ${nameOf(row)} cannot read ${what}, which this engine may write: run the version of this node there`;
}
