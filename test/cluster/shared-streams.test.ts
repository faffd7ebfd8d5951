import { describe, expect, it } from "vitest";
import { shardOf } from "../../src/lifecycle/index.ts";
import type { NativeExecution } from "../../src/model/index.ts";
import type { AccountEvent, AccountEvents, AccountUpdate, NativeOrders } from "../../src/ports/index.ts";
import { reportedExecution } from "../support/native-world.ts";
import { FAR_LIMIT, KEYS } from "../support/service-world.ts";
import { openShared, type SharedOptions, type SharedWorld } from "../support/shared-world.ts";
import { refusalOf, type TestClient } from "../support/socket-world.ts";

const SUBSCRIBE = "userDataStream.subscribe.signature";
const STRANGER = { key: KEYS.stranger };

/** Accounts 1 and 4 at node 1, account 2 at node 2; node 3 owns none of them. */
const OWNERS = { 1: 1, 2: 2, 4: 1 };

const UPDATE: AccountUpdate = {
  ...{ reason: "DEPOSIT", timeMs: 1, positions: [] },
  balances: [{ asset: "USD", wallet: "2", change: "1" }],
};

const namesOf = (client: TestClient): readonly unknown[] => client.events.map(({ e }) => e);
const ENDED = "eventStreamTerminated";

/** The ids of subscriptions that were told of their end. */
const endedIn = (client: TestClient): readonly unknown[] =>
  client.messages.flatMap(({ subscriptionId, event }) =>
    (event as { e?: unknown } | undefined)?.e === ENDED ? [subscriptionId] : [],
  );

type Begun = Readonly<{ streamId: string; sequence: number; subscriptionId: number }>;

const begin = async (client: TestClient, params = {}, options = {}): Promise<Begun> =>
  (await client.ask(SUBSCRIBE, params, options)).result as Begun;

let orders = 0;

const placeOver = async (client: TestClient, options = {}, fields = {}): Promise<void> => {
  // Clients of one key would sign the same bytes, which are one order.
  const order = { ...FAR_LIMIT, newClientOrderId: `order-${++orders}`, ...fields };
  expect((await client.ask("order.place", order, options)).status).toBe(200);
};

async function settled({ world }: SharedWorld): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await world.engine.idle();
}

describe("a shard that leaves ends the streams of its accounts, and no others", () => {
  it.each([
    ["the owner itself", 1],
    ["the next owner", 2],
    ["a third node", 3],
  ] as const)("on connections to %s", async (_, node) => {
    const cluster = await openShared({ owners: OWNERS });
    const client = cluster.client(node);
    const begun = await begin(client);
    const other = await begin(client, { account: 4 });
    const strange = await begin(client, {}, STRANGER);
    cluster.move(1, 2);
    await settled(cluster);
    expect(endedIn(client)).toEqual([begun.subscriptionId]);
    await placeOver(client, STRANGER);
    await placeOver(client, {}, { account: 4 });
    await client.until(() => client.events.length === 3);
    const received = client.messages.flatMap(({ subscriptionId, event }) => (event ? [subscriptionId] : []));
    expect(received.slice(1).toSorted()).toEqual([other.subscriptionId, strange.subscriptionId]);
  });

  it("nothing follows the end, and the next subscription has the events of the new owner", async () => {
    const cluster = await openShared({ owners: OWNERS });
    const clients = [cluster.client(1), cluster.client(3)] as const;
    for (const client of clients) {
      await begin(client);
      await placeOver(client);
    }
    cluster.move(1, 2);
    for (const client of clients) await placeOver(client);
    await settled(cluster);
    expect(namesOf(clients[0])).toEqual(["ORDER_TRADE_UPDATE", "ORDER_TRADE_UPDATE", ENDED]);
    expect(namesOf(clients[1])).toEqual(["ORDER_TRADE_UPDATE", ENDED]);
    for (const client of clients) {
      client.messages.length = 0;
      await begin(client);
    }
    await placeOver(clients[0]);
    await settled(cluster);
    for (const client of clients) expect(namesOf(client)).toEqual(["ORDER_TRADE_UPDATE"]);
  });

  it("complaint 35: numbers of an account that comes back have another id", async () => {
    const cluster = await openShared({ owners: OWNERS });
    const client = cluster.client(1);
    const ids: string[] = [];
    for (const next of [2, 1, 2, 1]) {
      const { streamId, sequence } = await begin(client);
      expect(sequence).toBe(0);
      ids.push(streamId);
      await placeOver(client);
      cluster.move(1, next);
    }
    expect(new Set(ids).size).toBe(4);
  });

  it("complaint 35: numbers of an account whose shard stays keep their id, whatever else moves", async () => {
    const cluster = await openShared({ owners: OWNERS });
    const client = cluster.client(1);
    const before = await begin(client, { account: 4 });
    await placeOver(client, {}, { account: 4 });
    cluster.move(1, 2);
    cluster.move(1, 1);
    await client.ask("userDataStream.unsubscribe", { subscriptionId: before.subscriptionId }, { key: null });
    const after = await begin(client, { account: 4 });
    expect([after.streamId, after.sequence]).toEqual([before.streamId, before.sequence + 1]);
  });

  it("a shard that is back before anybody has compared the owners has ended its streams nevertheless", async () => {
    const cluster = await openShared({ owners: OWNERS });
    const clients = [cluster.client(1), cluster.client(3)] as const;
    for (const client of clients) await begin(client);
    cluster.move(1, 2);
    cluster.move(1, 1);
    await settled(cluster);
    for (const client of clients) expect(namesOf(client)).toEqual([ENDED]);
    for (const { clock } of cluster.nodes) await clock.advanceBy(1_000);
    expect([...cluster.link.open]).toEqual([]);
    for (const client of clients) expect(namesOf(client)).toEqual([ENDED]);
  });

  it("an owner that nobody hears of any more is found by the table of owners", async () => {
    const cluster = await openShared({ owners: OWNERS });
    const client = cluster.client(3);
    await begin(client);
    // The first node died: the others read that the second one owns its shards.
    cluster.at(3).table.set(shardOf(1), 2);
    await cluster.at(3).clock.advanceBy(250);
    await settled(cluster);
    expect(endedIn(client)).toEqual([0]);
  });

  it.each([
    ["the owner", 1, 2],
    ["another node", 3, 1],
  ] as const)(
    "a shard that leaves after the client was admitted: the new owner opens the stream, on a connection to %s",
    async (_, node, question) => {
      const cluster = await openShared({ owners: OWNERS });
      const client = cluster.client(node);
      let questions = 0;
      cluster.at(1).shared.requested = (shard) => {
        if (shard === shardOf(1) && ++questions === question) queueMicrotask(() => cluster.move(1, 2));
      };
      expect((await begin(client)).sequence).toBe(0);
      expect(cluster.owners.get(shardOf(1))).toBe(2);
      await placeOver(client);
      await client.until(() => client.events.length === 1);
      expect(namesOf(client)).toEqual(["ORDER_TRADE_UPDATE"]);
    },
  );

  it("the owners of a stream that has ended are not compared any more", async () => {
    const cluster = await openShared({ owners: OWNERS });
    const clients = [cluster.client(1), cluster.client(3)] as const;
    for (const client of clients) await begin(client);
    let questions = 0;
    for (const { shared } of cluster.nodes) shared.requested = () => void questions++;
    for (const { clock } of cluster.nodes) await clock.advanceBy(1_000);
    expect(questions).toBeGreaterThan(0);
    cluster.move(1, 2);
    await settled(cluster);
    questions = 0;
    for (const { clock } of cluster.nodes) await clock.advanceBy(1_000);
    expect(questions).toBe(0);
  });

  it("while it has no owner, a subscription is refused with 503 -1001", async () => {
    const cluster = await openShared({ owners: OWNERS });
    cluster.release([shardOf(1)]);
    for (const node of [1, 2, 3])
      expect(refusalOf(await cluster.client(node).ask(SUBSCRIBE))).toEqual([503, -1001]);
  });

  it("events that wait for the check of access come before the end, and the end comes once", async () => {
    const cluster = await openShared({ owners: OWNERS });
    const clients = [cluster.client(1), cluster.client(3)] as const;
    for (const client of clients) await begin(client);
    const leave = cluster.world.engine.events.on("order", () => {
      leave();
      // No check of access has been answered yet.
      cluster.move(1, 2);
    });
    await placeOver(clients[1]);
    await settled(cluster);
    for (const client of clients) expect(namesOf(client)).toEqual(["ORDER_TRADE_UPDATE", ENDED]);
  });
});

/** What a host says of account 1: an execution of a native order, and another change of its balances. */
function hostAnswering(): Readonly<{
  options: Pick<SharedOptions, "native" | "accountEvents">;
  say: () => void;
  /** The nodes that asked what a fill has changed. */
  requested: readonly number[];
}> {
  const executed: ((execution: NativeExecution) => void)[] = [];
  const changed: ((event: AccountEvent) => void)[] = [];
  const requested: number[] = [];
  const unasked = (): never => {
    throw new Error("not asked");
  };
  const native: NativeOrders = {
    ...{ isPaperTrade: true, place: unasked, findRequest: unasked, cancel: unasked },
    ...{ find: unasked, page: unasked, executions: unasked },
    subscribe(listener) {
      executed.push(listener);
      return () => undefined;
    },
  };
  const accountEvents = (node: number): AccountEvents => ({
    afterFill() {
      requested.push(node);
      return UPDATE;
    },
    subscribe(listener) {
      changed.push(listener);
      return () => undefined;
    },
  });
  const say = (): void => {
    for (const receive of executed) receive(reportedExecution());
    for (const receive of changed) receive({ accountId: 1, update: UPDATE });
  };
  return { options: { native, accountEvents }, say, requested };
}

describe("what the host says of an account is told by the owner of its shard", () => {
  const REPORTED = ["ORDER_TRADE_UPDATE", "ACCOUNT_UPDATE", "ACCOUNT_UPDATE"];

  it("native orders and changes of balances, which every node hears, each once and numbered", async () => {
    const { options, say, requested } = hostAnswering();
    const cluster = await openShared({ owners: OWNERS, ...options });
    for (const owner of [1, 2]) {
      if (owner === 2) cluster.move(1, 2);
      const client = cluster.client(3);
      await begin(client);
      say();
      await client.until(() => client.events.length === 3);
      await settled(cluster);
      expect(namesOf(client)).toEqual(REPORTED);
      expect(client.events.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
    }
    expect(requested).toEqual([1, 2]);
  });

  it("also to a client that subscribes before the engine has said that the shard is here", async () => {
    const { options, say } = hostAnswering();
    const cluster = await openShared({ owners: OWNERS, ...options });
    const shards = [shardOf(1)];
    // The node has streams before it owns the shard.
    const client = cluster.client(2);
    await begin(client, {}, STRANGER);
    cluster.release(shards);
    cluster.at(2).shared.begin(shards);
    await begin(client);
    say();
    await client.until(() => client.events.length === 3);
    expect(namesOf(client)).toEqual(REPORTED);
  });
});
