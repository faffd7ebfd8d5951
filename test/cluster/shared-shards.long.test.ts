import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMemoryRateLimiter, type ManualClock } from "../../src/adapters/memory/index.ts";
import type { PeerOutcome } from "../../src/cluster/index.ts";
import { shardOf } from "../../src/lifecycle/index.ts";
import type { RateLimiter } from "../../src/ports/index.ts";
import { type JsonObject, readJson, type WireRequest } from "../../src/wire/index.ts";
import { LimitDatabase } from "../support/limit-database.ts";
import {
  type Credentials,
  FAR_LIMIT,
  KEYS,
  LISTS,
  type RequestOptions,
  requestOf,
  START_MS,
} from "../support/service-world.ts";
import type { AccountCall } from "../support/shared-engine.ts";
import { openShared, type SharedWorld } from "../support/shared-world.ts";
import { refusalOf, TestClient } from "../support/socket-world.ts";

/** Accounts 1, 2 and 3 at nodes 1, 2 and 3. */
const OWNERS = { 1: 1, 2: 2, 3: 3 };

type Reported = Readonly<{ status: number; code: unknown; body: JsonObject }>;

async function ask(cluster: SharedWorld, node: number, request: WireRequest): Promise<Reported> {
  const { status, body } = await cluster.at(node).node.handle(request);
  const read = readJson(body) as JsonObject;
  return { status, code: read.code, body: read };
}

const placement = (cluster: SharedWorld, key: Credentials = KEYS.owner, fields = {}): WireRequest =>
  requestOf("POST", "/api/order", {
    ...{ key, json: { ...FAR_LIMIT, ...fields }, query: { nonce: cluster.world.nonce() } },
  });

const signed = (method: string, path: string, query: RequestOptions["query"] = {}): WireRequest =>
  requestOf(method, path, { key: KEYS.owner, query: { ...query, timestamp: START_MS } });

const openOrders = async ({ world }: SharedWorld, accountId: number): Promise<number> =>
  (await world.engine.account(accountId).openOrders({ limit: 1_000 })).orders.length;

/** A limiter that refuses nothing, as functions that can be replaced. */
function limiterWithout(clock: ManualClock): RateLimiter {
  const limiter = createMemoryRateLimiter({ clock, enforce: false });
  return {
    limits: undefined,
    weigh: (request) => limiter.weigh(request),
    takeOrders: (placed) => limiter.takeOrders(placed),
    returnOrders: (placed) => limiter.returnOrders(placed),
  };
}

/** Lets the shard of account 1 go to node 2 when a call about it arrives at the engine of node 1. */
function leavesAt(cluster: SharedWorld, call: AccountCall, when: "arrives" | "answered" = "arrives"): void {
  const { shared } = cluster.at(1);
  shared[when] = (name) => {
    if (name === call && shared.engine.owns(shardOf(1))) cluster.move(1, 2);
  };
}

const ofForm = ({ link }: SharedWorld): readonly unknown[] => link.sent.map(({ incarnation }) => incarnation);

describe("nodes that share the shards answer for their own, and pass the others on", () => {
  it("a placement over any node is executed once, by the owner of its account", async () => {
    const cluster = await openShared({ owners: OWNERS });
    for (const node of [1, 2, 3]) {
      expect((await ask(cluster, node, placement(cluster))).status).toBe(200);
      expect((await ask(cluster, node, placement(cluster, KEYS.stranger))).status).toBe(200);
    }
    expect(cluster.decided).toEqual([["place", "place", "place"], ["place", "place", "place"], []]);
    expect([await openOrders(cluster, 1), await openOrders(cluster, 2)]).toEqual([3, 3]);
    expect(cluster.link.sent).toHaveLength(4);
  });

  it("and so is a message, on a connection to any node", async () => {
    const cluster = await openShared({ owners: OWNERS });
    for (const node of [1, 2, 3]) {
      const client = cluster.client(node);
      expect((await client.ask("order.place", FAR_LIMIT)).status).toBe(200);
      expect((await client.ask("order.place", FAR_LIMIT, { key: KEYS.stranger })).status).toBe(200);
    }
    expect(cluster.decided).toEqual([["place", "place", "place"], ["place", "place", "place"], []]);
  });

  it("I07: a delegate's request is executed by the owner of the account that it names", async () => {
    const cluster = await openShared({ owners: OWNERS });
    for (const node of [1, 2, 3]) {
      expect((await ask(cluster, node, placement(cluster, KEYS.owner, { account: 3 }))).status).toBe(200);
      const refused = await ask(cluster, node, placement(cluster, KEYS.owner, { account: 2 }));
      expect([refused.status, refused.code]).toEqual([401, -1002]);
    }
    expect(cluster.decided).toEqual([[], [], ["place", "place", "place"]]);
    const page = await ask(cluster, 2, signed("GET", "/api/v3/openOrders", { account: 3, apiManaged: true }));
    expect([page.status, page.body.total]).toEqual([200, 3]);
  });

  it("public market data and requests of unknown keys are answered by the node that the client reaches", async () => {
    const cluster = await openShared({ owners: OWNERS });
    for (const node of [1, 2, 3]) {
      expect((await ask(cluster, node, requestOf("GET", "/api/ping"))).status).toBe(200);
      expect((await ask(cluster, node, requestOf("GET", "/api/nothing"))).status).toBe(404);
      const unknown = await ask(cluster, node, placement(cluster, KEYS.nobody));
      expect([unknown.status, unknown.code]).toEqual([401, -2015]);
      const client = cluster.client(node);
      expect((await client.ask("time", {}, { key: null })).status).toBe(200);
      expect(refusalOf(await client.ask("order.place", FAR_LIMIT, { key: KEYS.nobody }))).toEqual([
        401, -2015,
      ]);
    }
    expect(cluster.link.sent).toEqual([]);
  });

  it("also by a node without a shard, whose quotes and streams are of one series", async () => {
    const cluster = await openShared();
    const client = new TestClient(
      { ...cluster.world, service: { ...cluster.world.service, sockets: cluster.at(2).node.sockets } },
      { target: "/ws/liquidity" },
    );
    await client.sendsRaw('{"id":1,"method":"SUBSCRIBE","params":["btcusd@depth"]}');
    cluster.world.feed.quote({ symbol: "BTC/USD", bid: "100", ask: "101" });
    const { body } = await ask(cluster, 2, requestOf("GET", "/api/depth", { query: { symbol: "BTC/USD" } }));
    expect(client.messages.at(-1)).toMatchObject({ e: "depthUpdate", u: 1, seriesId: body.seriesId });
    expect(cluster.link.sent).toEqual([]);
    expect((await ask(cluster, 2, placement(cluster))).status).toBe(200);
    expect(cluster.link.sent).toHaveLength(1);
  });

  it("a request is weighed before anything is asked about its account", async () => {
    const cluster = await openShared({ owners: OWNERS });
    const { accounts } = cluster.world;
    let requested = 0;
    const { key } = accounts;
    accounts.key = (apiKey) => {
      requested++;
      return key.call(accounts, apiKey);
    };
    await ask(cluster, 2, placement(cluster));
    // Once to find the owner, once by the owner, which authenticates.
    expect(requested).toBe(2);
  });
});

describe("a shard that moves", () => {
  it("nodes with an old table reach the new owner over the old one, once", async () => {
    const cluster = await openShared({ owners: OWNERS });
    cluster.move(1, 2);
    for (const node of [1, 2, 3]) {
      expect((await ask(cluster, node, placement(cluster))).status).toBe(200);
      cluster.at(3).table.set(shardOf(1), 1);
    }
    expect(cluster.decided).toEqual([[], ["place", "place", "place"], []]);
    expect(ofForm(cluster)).toEqual([2, 1, 2]);
  });

  it("an order is found, canceled and not placed a second time at the new owner", async () => {
    const cluster = await openShared({ owners: OWNERS });
    const request = placement(cluster);
    const first = await ask(cluster, 1, request);
    cluster.move(1, 3);
    const again = await ask(cluster, 2, request);
    expect([again.status, again.body.orderId]).toEqual([200, first.body.orderId]);
    expect(await openOrders(cluster, 1)).toBe(1);
    const canceled = await ask(
      cluster,
      1,
      signed("DELETE", "/api/v2/order", { symbol: "BTC/USD", orderId: String(first.body.orderId) }),
    );
    expect([canceled.status, canceled.body.status]).toEqual([200, "CANCELED"]);
    expect(cluster.decided[2]).toContain("cancel");
  });

  it("while it has no owner, requests are refused with 503 -1001 and nothing is executed", async () => {
    const cluster = await openShared({ owners: OWNERS });
    cluster.release([shardOf(1)]);
    for (const node of [1, 2, 3]) {
      const { status, code } = await ask(cluster, node, placement(cluster));
      expect([status, code]).toEqual([503, -1001]);
      expect(refusalOf(await cluster.client(node).ask("order.place", FAR_LIMIT))).toEqual([503, -1001]);
    }
    expect(await openOrders(cluster, 1)).toBe(0);
    cluster.claim([shardOf(1)], 2);
    for (const node of [1, 2, 3]) expect((await ask(cluster, node, placement(cluster))).status).toBe(200);
  });

  it.each([
    ["REST", 1],
    ["REST", 3],
    ["WebSocket", 1],
    ["WebSocket", 3],
  ] as const)(
    "what the engine has not decided when it leaves goes to the new owner, once: %s over node %i",
    async (form, node) => {
      const cluster = await openShared({ owners: OWNERS });
      leavesAt(cluster, "place");
      if (form === "REST") expect((await ask(cluster, node, placement(cluster))).status).toBe(200);
      else expect((await cluster.client(node).ask("order.place", FAR_LIMIT)).status).toBe(200);
      expect(cluster.decided).toEqual([[], ["place"], []]);
      expect(await openOrders(cluster, 1)).toBe(1);
    },
  );

  it.each([
    ["GET", "/api/v3/openOrders", { apiManaged: true }, "page", 200],
    ["GET", "/api/v2/order", { symbol: "BTC/USD", origClientOrderId: "x" }, "find", 400],
    ["GET", "/api/v3/allOrderList", {}, "allLists", 200],
    ["DELETE", "/api/v2/order", { symbol: "BTC/USD", origClientOrderId: "x" }, "find", 400],
    [
      "POST",
      "/compat/api/v3/order/test",
      { symbol: "BTCUSD", side: "BUY", type: "SYNTHETIC_LIMIT" },
      "check",
      200,
    ],
  ] as const)("%s %s goes on to the new owner, too", async (method, path, query, call, status) => {
    const cluster = await openShared({ owners: OWNERS });
    leavesAt(cluster, call);
    const fields =
      call === "check" ? { ...query, quantity: "0.01", price: "7000", timeInForce: "GTC" } : query;
    expect((await ask(cluster, 1, signed(method, path, fields))).status).toBe(status);
    expect(cluster.decided[0]).toEqual([]);
    expect(cluster.decided[1]).toContain(call);
  });

  it("the count of an order that goes on is returned, and the new owner counts it", async () => {
    const counts = new Map<string, number>();
    const cluster = await openShared({
      owners: OWNERS,
      limiterOf: (node) => {
        const change = (by: number) => {
          const per10s = (counts.get(`node ${node}`) ?? 0) + by;
          counts.set(`node ${node}`, per10s);
          return { per10s, perDay: per10s };
        };
        return {
          limits: undefined,
          weigh: () => ({ used: 1 }),
          takeOrders: ({ count }) => ({ counts: change(count), takenAtMs: 0 }),
          returnOrders: ({ count }) => change(-count),
        };
      },
    });
    leavesAt(cluster, "place");
    await ask(cluster, 1, placement(cluster));
    expect([...counts]).toEqual([
      ["node 1", 0],
      ["node 2", 1],
    ]);
  });

  it("a second node that the shard has left, too, ends it with 503 -1001", async () => {
    const cluster = await openShared({ owners: OWNERS });
    leavesAt(cluster, "place");
    cluster.at(2).shared.arrives = () => cluster.move(1, 3);
    const { status, code } = await ask(cluster, 1, placement(cluster));
    expect([status, code]).toEqual([503, -1001]);
    expect(cluster.decided).toEqual([[], [], []]);
    expect(ofForm(cluster)).toEqual([2]);
  });

  it("a node that cannot read the owners refuses with 503 -1001, and nothing is executed", async () => {
    const cluster = await openShared({ owners: OWNERS });
    cluster.isBlind = true;
    leavesAt(cluster, "place");
    const { status, code } = await ask(cluster, 1, placement(cluster));
    expect([status, code, await openOrders(cluster, 1)]).toEqual([503, -1001, 0]);
  });
});

/** A placement, and what happens to the shard of its account. */
type Step = Readonly<{
  entry: number;
  accountId: 1 | 2;
  form: "REST" | "WebSocket";
  /** Where the shard goes before the request, and when it arrives at an engine. */
  before: number | undefined;
  during: number | undefined;
  /** Whether all nodes know the owners then, and whether the shard has none. */
  reads: boolean;
  isFree: boolean;
}>;

const anyNode = fc.constantFrom(1, 2, 3);
const anyStep: fc.Arbitrary<Step> = fc.record({
  entry: anyNode,
  accountId: fc.constantFrom(1 as const, 2 as const),
  form: fc.constantFrom("REST" as const, "WebSocket" as const),
  before: fc.option(anyNode, { nil: undefined }),
  during: fc.option(anyNode, { nil: undefined }),
  reads: fc.boolean(),
  isFree: fc.boolean(),
});

function begin(cluster: SharedWorld, { accountId, before, during, reads, isFree }: Step): void {
  if (before !== undefined) cluster.move(accountId, before);
  if (reads) cluster.read();
  if (isFree) cluster.release([shardOf(accountId)]);
  let hasMoved = false;
  for (const { shared } of cluster.nodes) {
    shared.arrives = () => {
      if (during !== undefined && !hasMoved) cluster.move(accountId, during);
      hasMoved = true;
    };
  }
}

async function placeAt(
  cluster: SharedWorld,
  { entry, accountId, form }: Step,
  newClientOrderId: string,
): Promise<unknown> {
  const key = accountId === 1 ? KEYS.owner : KEYS.stranger;
  if (form === "REST")
    return (await ask(cluster, entry, placement(cluster, key, { newClientOrderId }))).status;
  return (await cluster.client(entry).ask("order.place", { ...FAR_LIMIT, newClientOrderId }, { key })).status;
}

describe("what may have been decided is not sent on", () => {
  const lists = async (cluster: SharedWorld): Promise<JsonObject> => {
    const { path, fields } = LISTS.oco;
    const json = { listClientOrderId: "pair", ...fields };
    const { body } = await ask(
      cluster,
      1,
      requestOf("POST", path, { key: KEYS.owner, json, query: { nonce: "l" } }),
    );
    return body;
  };
  const legIn = (list: JsonObject): string => String((list.orders as readonly JsonObject[])[0]?.orderId);

  it.each([
    [
      "the cancel of a leg whose list cannot be read any more",
      "cancel",
      "answered",
      (list: JsonObject) => signed("DELETE", "/api/v2/order", { symbol: "BTC/USD", orderId: legIn(list) }),
    ],
    [
      "the cancel of a list",
      "cancelList",
      "answered",
      () => signed("DELETE", "/api/v3/orderList", { listClientOrderId: "pair" }),
    ],
    [
      "the cancel of all orders",
      "cancelAll",
      "answered",
      () => signed("DELETE", "/api/v3/openOrders", { apiManaged: true }),
    ],
    [
      "the cancel of the orders of a market",
      "cancelList",
      "answered",
      () => signed("DELETE", "/compat/api/v3/openOrders", { symbol: "BTCUSD" }),
    ],
  ] as const)("%s is 500 -1006, and stays executed", async (_, call, when, request) => {
    const cluster = await openShared({ owners: OWNERS });
    const list = await lists(cluster);
    expect(await openOrders(cluster, 1)).toBe(2);
    leavesAt(cluster, call, when);
    const { status, code } = await ask(cluster, 1, request(list));
    expect([status, code]).toEqual([500, -1006]);
    expect([await openOrders(cluster, 1), cluster.decided[1], cluster.link.sent]).toEqual([0, [], []]);
  });

  it("the cancel of several orders of a market, one of which finds the shard gone, is 500 -1006", async () => {
    const cluster = await openShared({ owners: OWNERS });
    for (let n = 0; n < 3; n++) await ask(cluster, 1, placement(cluster));
    const { shared } = cluster.at(1);
    let cancels = 0;
    shared.arrives = (name) => {
      if (name === "cancel" && ++cancels === 2) cluster.move(1, 2);
    };
    const request = signed("DELETE", "/compat/api/v3/openOrders", { symbol: "BTCUSD" });
    const { status, code } = await ask(cluster, 1, request);
    expect([status, code, cluster.link.sent]).toEqual([500, -1006, []]);
  });

  it.each([
    [{ kind: "lost", reason: "x" }, [500, -1006]],
    [{ kind: "refused", reason: "REPLAYED" }, [500, -1006]],
    [{ kind: "refused", reason: "BUSY" }, [503, -1001]],
    [{ kind: "unsent", reason: "x" }, [503, -1001]],
  ] as const)("%o of the new owner is %o, and nobody else is asked", async (outcome, wanted) => {
    const cluster = await openShared({ owners: OWNERS });
    leavesAt(cluster, "place");
    cluster.link.answer = (): PeerOutcome => outcome;
    const { status, code } = await ask(cluster, 1, placement(cluster));
    expect([[status, code], cluster.link.sent.length]).toEqual([wanted, 1]);
  });

  it("whatever moves when: an order that was confirmed is there once, and one that was refused is not", async () => {
    const run = async (steps: readonly Step[]): Promise<void> => {
      const cluster = await openShared({ owners: OWNERS });
      const placed = { 1: 0, 2: 0 };
      for (const [index, step] of steps.entries()) {
        const { accountId } = step;
        begin(cluster, step);
        const status = await placeAt(cluster, step, `order-${index}`);
        expect([200, 503]).toContain(status);
        if (status === 200) placed[accountId]++;
        expect(await openOrders(cluster, accountId)).toBe(placed[accountId]);
        if (!cluster.owners.has(shardOf(accountId))) cluster.claim([shardOf(accountId)], step.entry);
      }
    };
    await fc.assert(fc.asyncProperty(fc.array(anyStep, { maxLength: 12 }), run), { numRuns: 40 });
  });
});

describe("the orders of an account are counted by the owner of its shard", () => {
  const LIMITS = { ordersPerDay: 4, ordersPer10s: 100 };

  it("the limit of the day is one, however often the shard moves", async () => {
    const database = new LimitDatabase({ startMs: START_MS });
    const limiters = [await database.open(LIMITS), await database.open(LIMITS), await database.open(LIMITS)];
    const limiterOf = (node: number): RateLimiter => limiters[node - 1] as RateLimiter;
    const cluster = await openShared({ owners: OWNERS, limiterOf });
    const codes: unknown[] = [];
    for (const next of [2, 3, 1, 2, 3, 1]) {
      codes.push((await ask(cluster, next, placement(cluster))).code);
      cluster.move(1, next);
      await database.due(0);
    }
    expect(codes).toEqual([undefined, undefined, undefined, undefined, -1015, -1015]);
    expect(await openOrders(cluster, 1)).toBe(4);
  });

  it("a limiter is told what was lost first, and then which accounts are here, as they are at any time", async () => {
    const reported: string[] = [];
    const here: ((accountId: number) => boolean)[] = [];
    const cluster = await openShared({
      owners: OWNERS,
      limiterOf: (node, clock) => ({
        ...limiterWithout(clock),
        lost: () => void reported.push(`${node} lost`),
        gained(isHere) {
          reported.push(`${node} gained`);
          here[node] = isHere;
        },
      }),
    });
    reported.length = 0;
    cluster.move(1, 2);
    expect(reported).toEqual(["1 lost", "2 gained"]);
    const seen = (): readonly unknown[] => [1, 2, 3].map((accountId) => here[2]?.(accountId));
    expect(seen()).toEqual([true, true, false]);
    cluster.move(2, 1);
    expect(seen()).toEqual([true, false, false]);
  });

  it("a limiter that fails stops nothing, and the operator is told", async () => {
    const failure = (): never => {
      throw new TypeError("no table");
    };
    const cluster = await openShared({
      owners: OWNERS,
      limiterOf: (_, clock) => ({
        ...limiterWithout(clock),
        lost: () => Promise.reject(new TypeError("no table")),
        gained: failure,
      }),
    });
    cluster.move(1, 2);
    expect((await ask(cluster, 3, placement(cluster))).status).toBe(200);
    const ports = cluster.nodes.flatMap(({ reported }) =>
      reported.filter((text) => text.includes("host.failed")),
    );
    expect(ports.some((text) => text.includes("rateLimiter.lost"))).toBe(true);
    expect(ports.some((text) => text.includes("rateLimiter.gained"))).toBe(true);
  });
});
