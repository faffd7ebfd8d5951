import { describe, expect, it } from "vitest";
import {
  createManualClock,
  createMemoryRateLimiter,
  type ManualClock,
} from "../../src/adapters/memory/index.ts";
import type { ShardHolder } from "../../src/cluster/index.ts";
import {
  type ClusterService,
  type ClusterServiceOptions,
  createClusterService,
  type PeerSender,
  type PeerSink,
} from "../../src/cluster/index.ts";
import { shardOf } from "../../src/lifecycle/index.ts";
import type { SocketOptions } from "../../src/service/index.ts";
import { ProcessLink } from "../support/process-link.ts";
import {
  FAR_LIMIT,
  KEYS,
  openWorld,
  place,
  requestOf,
  type ServiceWorld,
  START_MS,
} from "../support/service-world.ts";
import { refusalOf, TestClient } from "../support/socket-world.ts";

const SUBSCRIBE = "userDataStream.subscribe.signature";
const UNSUBSCRIBE = "userDataStream.unsubscribe";

type Node = Readonly<{ node: ClusterService; world: ServiceWorld; holder: ShardHolder }>;

/** Nodes on one link; `owners` says the incarnation of the owner of each shard, as all of them see it. */
type Cluster = Readonly<{
  link: ProcessLink;
  nodes: readonly Node[];
  owners: { of: (shard: number) => number | undefined };
  clock: ManualClock;
  entry: ClusterService;
  client: TestClient;
}>;

/** Two nodes that serve, and a third one that does not, with a client. The first one owns every shard but account 2's. */
async function openCluster(
  sockets: SocketOptions = {},
  options: Partial<ClusterServiceOptions> = {},
): Promise<Cluster> {
  const link = new ProcessLink();
  const owners: Cluster["owners"] = { of: (shard) => (shard === shardOf(2) ? 2 : 1) };
  const nodes: Node[] = [];
  const holders: ShardHolder[] = [1, 2, 3].map((incarnation) => ({
    ...{ incarnation, address: `node:${incarnation}`, isSelf: false },
  }));
  const nodeOf = (holder: ShardHolder, world: ServiceWorld, clock: ManualClock): ClusterService =>
    createClusterService({
      standby: {
        ownerOf(shard) {
          if (shard === undefined) return undefined;
          const known = owners.of(shard);
          const owner = holders.find(({ incarnation }) => incarnation === known);
          return owner && { ...owner, isSelf: owner === holder };
        },
        readOwners: async () => undefined,
        status: () => ({ state: "ready", incarnation: holder.incarnation, reasons: [] }),
      },
      ...{ accounts: world.accounts, clock, peers: link.sender() },
      rateLimiter: createMemoryRateLimiter({ clock }),
      entropy: { token: (length) => "e".repeat(length) },
      ...options,
    });
  for (const holder of holders.slice(0, 2)) {
    const world = await openWorld({ service: { sockets }, limits: {} });
    const node = nodeOf(holder, world, world.clock);
    node.serve(world.service);
    link.nodes.set(holder.address, node);
    nodes.push({ node, world, holder });
  }
  const [first] = nodes;
  const [, , last] = holders;
  if (first === undefined || last === undefined) throw new Error("no node");
  const clock = createManualClock({ startMs: START_MS });
  const entry = nodeOf(last, first.world, clock);
  link.nodes.set(last.address, entry);
  return { link, nodes, owners, clock, entry, client: clientOf(entry, first.world) };
}

const clientOf = (node: ClusterService, world: ServiceWorld): TestClient =>
  new TestClient({ ...world, service: { ...world.service, sockets: node.sockets } });

const worldOf = ({ nodes }: Cluster, index: number): ServiceWorld => {
  const world = nodes[index]?.world;
  if (world === undefined) throw new Error("no such node");
  return world;
};

const namesOf = (client: TestClient): readonly unknown[] => client.events.map(({ e }) => e);
const sequencesOf = (client: TestClient): readonly unknown[] => client.events.map(({ sequence }) => sequence);

describe("a connection stays with its node, and its requests go to the owner", () => {
  it("a placement over a node that owns nothing is executed once, and the owner's reply is passed on", async () => {
    const cluster = await openCluster();
    const { client, link } = cluster;
    const reply = await client.ask("order.place", { ...FAR_LIMIT, newClientOrderId: "a" }, { id: "7" });
    expect(reply).toMatchObject({ id: "7", status: 200, result: { clientOrderId: "a" } });
    expect((await worldOf(cluster, 0).engine.account(1).openOrders({ limit: 9 })).orders).toHaveLength(1);
    expect(link.sent.map(({ form, target }) => [form, target])).toEqual([["MESSAGE", "/ws/listenKey"]]);
  });

  it("weight and address are those of the node that the client reached", async () => {
    const { client, link } = await openCluster();
    await client.ask("openOrders.status", { apiManaged: true });
    const { rateLimits } = await client.ask("order.place", FAR_LIMIT);
    const weight = (rateLimits as readonly { rateLimitType: string; count: number }[]).find(
      ({ rateLimitType }) => rateLimitType === "REQUEST_WEIGHT",
    );
    expect(weight?.count).toBe(link.sent.at(-1)?.usedWeight);
    expect(weight?.count).toBeGreaterThan(1);
    expect(link.sent.at(-1)?.remoteAddress).toBe("127.0.0.1");
  });

  it("a node that is asked for an account of another one names its shard, and that node is asked", async () => {
    const cluster = await openCluster();
    const { owners, client, link } = cluster;
    const { of } = owners;
    // The node that is asked first knows better than the one that the client reached.
    let requested = 0;
    owners.of = (shard) => (requested++ === 0 ? 2 : of(shard));
    expect((await client.ask("order.place", FAR_LIMIT)).status).toBe(200);
    expect(link.sent.map(({ incarnation }) => incarnation)).toEqual([2, 1]);
  });

  it.each([
    ["order.place", { kind: "lost", reason: "x" }, [500, -1006]],
    ["order.place", { kind: "unsent", reason: "x" }, [503, -1001]],
    ["order.place", { kind: "refused", reason: "BUSY" }, [503, -1001]],
    ["order.place", { kind: "refused", reason: "REPLAYED" }, [500, -1006]],
    ["openOrders.status", { kind: "lost", reason: "x" }, [503, -1001]],
    [SUBSCRIBE, { kind: "lost", reason: "x" }, [503, -1001]],
  ] as const)("%s after %o is %o and is not sent again", async (method, outcome, wanted) => {
    const { client, link } = await openCluster();
    link.answer = () => outcome;
    expect(refusalOf(await client.ask(method, method === "order.place" ? FAR_LIMIT : {}))).toEqual(wanted);
    expect(link.sent).toHaveLength(1);
  });

  it("hostile 95: what cannot be read is refused by the node that the client reached", async () => {
    const { client, link } = await openCluster();
    expect(refusalOf(await client.sendsRaw('{"id":"1"'))).toEqual([400, -1135]);
    expect(refusalOf(await client.ask("order.nothing"))[0]).toBe(400);
    expect(link.sent).toEqual([]);
  });

  it("a message whose answer the owner could not send has an answer with its id: -1006 to a write, -1001 to a read", async () => {
    const { client, link } = await openCluster();
    // What a link replies where the service has thrown, or its reply is too long.
    const response = { status: 500, headers: {}, body: '{"code":-1006,"msg":"of the link"}' };
    link.answer = () => ({ kind: "reply", response });
    const placed = await client.ask("order.place", FAR_LIMIT, { id: "write" });
    expect([placed["id"], ...refusalOf(placed)]).toEqual(["write", 500, -1006]);
    const read = await client.ask("openOrders.status", { apiManaged: true }, { id: "read" });
    expect([read["id"], ...refusalOf(read)]).toEqual(["read", 503, -1001]);
    const subscribed = await client.ask(SUBSCRIBE, {}, { id: "stream" });
    expect([subscribed["id"], ...refusalOf(subscribed)]).toEqual(["stream", 503, -1001]);
    link.answer = undefined;
    expect((await client.ask(SUBSCRIBE)).status).toBe(200);
  });

  it("I07: who authenticates a message is the owner, which refuses a wrong signature", async () => {
    const { client, link } = await openCluster();
    const forge = (params: object): Readonly<Record<string, unknown>> => ({ ...params, price: "1" });
    expect(refusalOf(await client.ask("order.place", FAR_LIMIT, { forge }))).toEqual([400, -1022]);
    expect(link.sent).toHaveLength(1);
  });

  it("a node that begins to serve answers its shards itself, on connections that it had before too", async () => {
    const cluster = await openCluster();
    const { client, entry, owners, link } = cluster;
    entry.serve(worldOf(cluster, 0).service);
    owners.of = () => 3;
    expect((await client.ask("order.place", FAR_LIMIT)).status).toBe(200);
    expect((await client.ask("time", {}, { key: null })).status).toBe(200);
    expect(link.sent).toEqual([]);
  });

  it("public streams are refused until the node serves; requests are admitted before", async () => {
    const cluster = await openCluster();
    const { entry } = cluster;
    const admit = async (path: string): Promise<number | undefined> =>
      (await entry.sockets.admit(requestOf("GET", path)))?.status;
    const paths = ["/ws/listenKey", "/ws/liquidity", "/ws/listenKey?odd=1", "/ws/nothing"];
    expect(await Promise.all(paths.map(admit))).toEqual([undefined, 503, 400, 404]);
    entry.serve(worldOf(cluster, 0).service);
    expect(await admit("/ws/liquidity")).toBeUndefined();
    entry.sockets.shutdown();
    expect(await Promise.all(paths.slice(0, 2).map(admit))).toEqual([503, 503]);
  });
});

describe("events of a forwarded subscription", () => {
  it("come in order, each once, after the reply, with the numbers of the owner", async () => {
    const cluster = await openCluster();
    const { client } = cluster;
    const world = worldOf(cluster, 0);
    await place(world);
    const { result } = await client.ask(SUBSCRIBE);
    expect(result).toMatchObject({ subscriptionId: 0, accountId: 1, sequence: 1 });
    for (let n = 0; n < 20; n++) await place(world);
    await client.until(() => client.events.length >= 20);
    expect(sequencesOf(client)).toEqual(Array.from({ length: 20 }, (_, n) => n + 2));
  });

  it("accounts of several owners share a connection, with ids of its own", async () => {
    const cluster = await openCluster();
    const { client } = cluster;
    expect((await client.ask(SUBSCRIBE)).result).toMatchObject({ subscriptionId: 0, accountId: 1 });
    const other = { key: KEYS.stranger };
    expect((await client.ask(SUBSCRIBE, {}, other)).result).toMatchObject({
      subscriptionId: 1,
      accountId: 2,
    });
    await place(worldOf(cluster, 1), {}, { key: KEYS.stranger });
    await place(worldOf(cluster, 0));
    await client.until(() => client.events.length === 2);
    const ids = client.messages.flatMap(({ subscriptionId, event }) => (event ? [subscriptionId] : []));
    expect([...ids].sort()).toEqual([0, 1]);
    expect(refusalOf(await client.ask(SUBSCRIBE))).toEqual([400, -2035]);
    expect(cluster.link.open.size).toBe(2);
  });

  it("unsubscribing and the end of the connection end the stream at the owner", async () => {
    const cluster = await openCluster();
    const { client, link } = cluster;
    await client.ask(SUBSCRIBE);
    await client.ask(SUBSCRIBE, {}, { key: KEYS.stranger });
    await client.ask(UNSUBSCRIBE, { subscriptionId: 0 }, { key: null });
    expect([link.open.size, namesOf(client)]).toEqual([1, ["eventStreamTerminated"]]);
    await place(worldOf(cluster, 0));
    client.session.closed();
    expect(link.open.size).toBe(0);
    expect(client.events).toHaveLength(1);
  });

  it("access that is withdrawn at the owner ends the subscription before the next event", async () => {
    const cluster = await openCluster();
    const { client, link } = cluster;
    await client.ask(SUBSCRIBE, {}, { key: KEYS.stranger });
    const { accounts } = worldOf(cluster, 1);
    const account = { accountId: 2, userId: 2, enableDataSharing: true, delegates: [], restricted: false };
    await place(worldOf(cluster, 1), {}, { key: KEYS.stranger });
    await client.until(() => client.events.length === 1);
    accounts.put({
      account,
      keys: [{ ...KEYS.stranger, userId: 2, accountId: 2, permissions: ["TRADE"], ipAllowlist: [] }],
    });
    await place(worldOf(cluster, 1), {}, { key: KEYS.stranger });
    await client.until(() => client.events.length === 2);
    expect([namesOf(client), link.open.size]).toEqual([["ORDER_TRADE_UPDATE", "eventStreamTerminated"], 0]);
  });

  it("a token of a session leads to the owner, which reads it itself", async () => {
    const requestToken = (token: string): number | undefined => (token === "two" ? 2 : undefined);
    const cluster = await openCluster({ requestToken }, { sockets: { requestToken } });
    const { client, link } = cluster;
    const bySession = (token: string): Promise<object> =>
      client.ask("SUBSCRIBE", { requestToken: token }, { key: null });
    expect(await bySession("two")).toMatchObject({ status: 200, result: { accountId: 2 } });
    expect(link.sent.at(-1)?.incarnation).toBe(2);
    expect(await bySession("three")).toMatchObject({ status: 401, error: { code: -2015 } });
  });
});

describe("a subscription ends with what sends its events", () => {
  it("the shard of its account moves: eventStreamTerminated, at both nodes, and the client subscribes anew", async () => {
    const cluster = await openCluster();
    const { client, owners, clock, link } = cluster;
    await client.ask(SUBSCRIBE);
    await client.ask(SUBSCRIBE, {}, { key: KEYS.stranger });
    owners.of = () => 2;
    await clock.advanceBy(250);
    await client.until(() => client.events.length === 1);
    expect([namesOf(client), link.open.size]).toEqual([["eventStreamTerminated"], 1]);
    expect((await client.ask(SUBSCRIBE)).result).toMatchObject({ subscriptionId: 2, sequence: 0 });
    expect(link.sent.at(-1)?.incarnation).toBe(2);
    await place(worldOf(cluster, 1));
    await client.until(() => client.events.length === 2);
    expect(sequencesOf(client)).toEqual([undefined, 1]);
  });

  it("the owner ends it too, where the node that holds the connection does not know yet", async () => {
    const cluster = await openCluster();
    const { client, owners, link } = cluster;
    await client.ask(SUBSCRIBE);
    owners.of = () => 2;
    await worldOf(cluster, 0).clock.advanceBy(250);
    await client.until(() => client.events.length === 1);
    expect([namesOf(client), link.open.size]).toEqual([["eventStreamTerminated"], 0]);
  });

  it("an unknown owner ends nothing while the link holds, and a link that breaks ends everything", async () => {
    const cluster = await openCluster();
    const { client, owners, clock, link } = cluster;
    await client.ask(SUBSCRIBE);
    owners.of = () => undefined;
    await clock.advanceBy(1_000);
    expect(client.events).toEqual([]);
    await place(worldOf(cluster, 0)).catch(() => undefined);
    link.breaks();
    await client.until(() => client.events.some(({ e }) => e === "eventStreamTerminated"));
    expect(namesOf(client).at(-1)).toBe("eventStreamTerminated");
    expect((await client.ask("session.subscriptions", {}, { key: null })).result).toEqual([]);
  });

  it("a node that loses the shard ends subscriptions of its own connections", async () => {
    const cluster = await openCluster();
    const { entry, owners, client, clock } = cluster;
    entry.serve(worldOf(cluster, 0).service);
    owners.of = () => 3;
    await client.ask(SUBSCRIBE);
    owners.of = () => undefined;
    await clock.advanceBy(250);
    await client.until(() => client.events.length === 1);
    expect(namesOf(client)).toEqual(["eventStreamTerminated"]);
  });
});

describe("bounds of forwarded subscriptions", () => {
  /** A cluster whose owner opens any stream at once, and the sinks of these streams. */
  async function opening(): Promise<Cluster & Readonly<{ sinks: PeerSink[]; ended: () => number }>> {
    const sinks: PeerSink[] = [];
    let ended = 0;
    const peers: PeerSender = {
      send: async () => ({ kind: "unsent", reason: "x" }),
      async subscribe(_call, sink) {
        sinks.push(sink);
        const body = `{"accountId":${sinks.length},"sequence":0,"streamId":"s"}`;
        const end = (): void => void ended++;
        return { outcome: { kind: "reply", response: { status: 200, headers: {}, body } }, end };
      },
    };
    return { ...(await openCluster({}, { peers })), sinks, ended: () => ended };
  }

  it("the clients of one network have 1,000 streams of other nodes, then -2042; one that ends makes room", async () => {
    const cluster = await opening();
    const { client, sinks, entry } = cluster;
    for (let n = 0; n < 999; n++) await client.ask(SUBSCRIBE);
    const second = clientOf(entry, worldOf(cluster, 0));
    expect((await second.ask(SUBSCRIBE)).status).toBe(200);
    expect(refusalOf(await second.ask(SUBSCRIBE))).toEqual([400, -2042]);
    sinks[0]?.ended();
    expect((await second.ask(SUBSCRIBE)).status).toBe(200);
    expect(refusalOf(await client.ask(SUBSCRIBE))).toEqual([400, -2042]);
  });

  it("a client that does not read is closed, and its streams end at their owner", async () => {
    const { client, sinks, ended } = await opening();
    await client.ask(SUBSCRIBE);
    client.buffered = "everything";
    const event = `{"e":"x","pad":"${"x".repeat(1_000_000)}"}`;
    for (let n = 0; n < 12 && client.closed === undefined; n++) {
      sinks[0]?.event(event);
      await Promise.resolve().then(() => undefined);
      await client.until(() => true);
      await new Promise<void>((resolve) => queueMicrotask(resolve));
    }
    expect(client.closed).toMatchObject({ code: 1008, reason: "slow reader" });
    expect(ended()).toBe(1);
  });

  it("events before the reply wait, and an end after them comes last", async () => {
    const { client, sinks } = await opening();
    const requested = client.ask(SUBSCRIBE);
    await client.until(() => sinks.length === 1);
    sinks[0]?.event('{"e":"first"}');
    sinks[0]?.event('{"e":"second"}');
    sinks[0]?.ended();
    await requested;
    await client.until(() => client.events.length === 3);
    expect(namesOf(client)).toEqual(["first", "second", "eventStreamTerminated"]);
    expect(client.messages[0]).toMatchObject({ status: 200 });
  });
});
