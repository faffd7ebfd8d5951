import {
  type ClusterService,
  createClusterService,
  createPeerLink,
  type PeerLink,
} from "../../../src/cluster/index.ts";
import type { WireRequest } from "../../../src/wire/index.ts";
import { FAR_LIMIT, KEYS, openWorld, requestOf, type ServiceWorld } from "../../support/service-world.ts";
import type { Line, Taken } from "../line.ts";
import { metered } from "../metered.ts";

const REQUESTS = 4_000;
/** Requests that wait at a time, below the number that a link carries. */
const AT_ONCE = 64;
const HOST = "127.0.0.1";

/** The owner of all shards, a node that owns none and forwards to it over a link, and the end of both. */
type Pair = Readonly<{ owner: ClusterService; entry: ClusterService; close: () => Promise<void> }>;

async function openPair(world: ServiceWorld): Promise<Pair> {
  const links: PeerLink[] = [];
  const nodeOf = async (incarnation: number, ownerAddress: string): Promise<[ClusterService, string]> => {
    const link = createPeerLink({ secret: "a secret of the nodes of a bench", security: "loopback" });
    links.push(link);
    const { port } = await link.listen({ host: HOST, port: 0 });
    const node = createClusterService({
      ...{ accounts: world.accounts, clock: world.clock, peers: link },
      rateLimiter: { limits: undefined, weigh: () => ({ used: 1 }), ...NO_ORDERS },
      entropy: { token: (length) => "e".repeat(length) },
      standby: {
        ownerOf: () => ({ incarnation: 1, address: ownerAddress, isSelf: incarnation === 1 }),
        readOwners: async () => undefined,
        status: () => ({ state: "ready", incarnation, reasons: [] }),
      },
    });
    link.serve(node);
    return [node, `${HOST}:${port}`];
  };
  const [owner, address] = await nodeOf(1, "");
  owner.serve(world.service);
  const [entry] = await nodeOf(2, address);
  const close = async (): Promise<void> => {
    await Promise.all(links.map((link) => link.close({ graceMs: 0 })));
  };
  return { owner, entry, close };
}

const COUNTS = { per10s: 0, perDay: 0 };
const NO_ORDERS = { takeOrders: () => ({ counts: COUNTS, takenAtMs: 0 }), returnOrders: () => COUNTS };

async function answered(node: ClusterService, requests: readonly WireRequest[]): Promise<void> {
  for (let from = 0; from < requests.length; from += AT_ONCE) {
    const replies = await Promise.all(
      requests.slice(from, from + AT_ONCE).map((request) => node.handle(request)),
    );
    const refused = replies.find(({ status }) => status !== 200);
    if (refused !== undefined) throw new Error(refused.body);
  }
}

/** Measures placements that another node forwards, both nodes together, against the same at their owner. */
export const forwarding: Line = {
  work: "signed placement that another node forwards, processor time of both nodes",
  unit: "placements",
  peer: "the same, answered by the node that the client reaches",
  timedBy: "processor",
  target: ">= 0.45 of an unforwarded one: at most 2.2 times the processor time",
  reached: (_perSecond, ratio) => ratio >= 1 / 2.2,
  async open({ of }) {
    const count = of(REQUESTS);
    const world = await openWorld();
    const { owner, entry, close } = await openPair(world);
    const taken = async (node: ClusterService, round: string): Promise<Taken> => {
      const requests = Array.from({ length: count }, (_, n) =>
        requestOf("POST", "/api/order", {
          ...{ key: KEYS.owner, json: FAR_LIMIT, query: { nonce: `${round}-${n}` } },
        }),
      );
      const sample = await metered(count, () => answered(node, requests));
      const cancel = requestOf("DELETE", "/api/v3/openOrders", {
        ...{ key: KEYS.owner, query: { apiManaged: true, nonce: `${round}-end` } },
      });
      await owner.handle(cancel);
      return sample;
    };
    return {
      take: async (round) => ({
        ours: await taken(entry, `f${round}`),
        peer: await taken(owner, `o${round}`),
      }),
      close,
    };
  },
};
