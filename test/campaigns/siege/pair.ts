import type { ListenAddress } from "../../../src/adapters/node/index.ts";
import type { ClusterNode, ShardOwners } from "../../../src/cluster/index.ts";
import { createPeerLink, type PeerLimits, type PeerLink } from "../../../src/cluster/index.ts";
import type { Exchange } from "../../../src/sandbox/exchange.ts";
import { serveShared } from "../../../src/sandbox/serving.ts";
import type { SandboxSettings } from "../../../src/sandbox/settings.ts";
import { CA, CERTIFICATES } from "../../support/peer-certificates.ts";

/** The port of a node that owns nothing, the port of its owner's link, and the end of both. */
export type Pair = Readonly<{ port: number; linkPort: number; close: () => Promise<void> }>;

const HOST = "127.0.0.1";
const SECRET = "a secret of the nodes of the siege";

const SILENT = { event: () => undefined };

type Linked = Readonly<{ link: PeerLink; bound: ListenAddress }>;

async function openLink(name: "node1" | "node2", limits?: PeerLimits): Promise<Linked> {
  const link = createPeerLink({
    ...{ secret: SECRET, telemetry: SILENT, ...(limits && { limits }) },
    security: { ...CERTIFICATES[name], ca: CA },
  });
  return { link, bound: await link.listen({ host: HOST, port: 0 }) };
}

/** Serves an exchange as a node that owns all of its shards, and as one that forwards everything to that one, over TLS. */
export async function openPair(exchange: Exchange, settings: SandboxSettings): Promise<Pair> {
  const owner = await openLink("node1");
  // It closes its connection after each request, so that the next one needs a place beside the attackers.
  const entry = await openLink("node2", { idleMs: 10 });
  const serve = ({ link }: Linked): ReturnType<typeof serveShared> => {
    const isSelf = link === owner.link;
    const node: ShardOwners = {
      ownerOf: () => ({ incarnation: 1, address: `${HOST}:${owner.bound.port}`, isSelf }),
      readOwners: async () => undefined,
      status: () => ({ incarnation: isSelf ? 1 : 2 }),
    };
    const parts = { telemetry: SILENT, link, controlUrl: () => undefined };
    return serveShared({ exchange, node: node as ClusterNode }, settings, parts);
  };
  const [served, reached] = [await serve(owner), await serve(entry)];
  return {
    ...{ port: reached.port, linkPort: owner.bound.port },
    async close() {
      await Promise.all([served, reached, owner.link, entry.link].map((part) => part.close()));
    },
  };
}
