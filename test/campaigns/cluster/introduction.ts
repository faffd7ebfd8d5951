import { KEY, SECRET } from "../../support/sandbox-process.ts";

/** Where a node answers, and the process that a user may kill. */
type ShownNode = Readonly<{ name: string; port: number; controlPort: number; pid: number; shards: number }>;

/** What a user of `npm run cluster` needs to place orders, to watch the nodes and to end one of them. */
export type ShownCluster = Readonly<{
  frontUrl: string;
  /** Of the server itself, for `managed-orders cluster`. */
  storeUrl: string;
  nodes: readonly ShownNode[];
  venue: Readonly<{ url: string; controlUrl: string }>;
  serving: readonly string[];
}>;

/** Returns the lines that `npm run cluster` prints once everything is served. */
export function introductionOf({
  frontUrl,
  storeUrl,
  nodes,
  venue,
  serving,
}: ShownCluster): readonly string[] {
  return [
    `REST and WebSocket: ${frontUrl}`,
    `API key ${KEY}, secret ${SECRET} (demo account 1)`,
    `Postgres: ${storeUrl}`,
    ...nodes.map(
      ({ name, port, controlPort, pid, shards }) =>
        `${name}: process ${pid}, REST http://127.0.0.1:${port}, control on port ${controlPort}, ${shards} shards`,
    ),
    `venue: ${venue.url}, control on port ${new URL(venue.controlUrl).port}`,
    `${[...serving].sort().join(", ")} ${serving.length === 1 ? "serves" : "serve"}. Ctrl+C ends everything.`,
  ];
}
