import { describe, expect, it } from "vitest";
import {
  type AccountEntry,
  createManualClock,
  createMemoryRateLimiter,
} from "../../src/adapters/memory/index.ts";
import type { ShardHolder } from "../../src/cluster/index.ts";
import {
  type ClusterService,
  type ClusterServiceOptions,
  createClusterService,
  type ForwardedRequest,
  type PeerCall,
  type PeerOutcome,
} from "../../src/cluster/index.ts";
import { shardOf } from "../../src/lifecycle/index.ts";
import { type JsonObject, readJson, type WireRequest } from "../../src/wire/index.ts";
import {
  FAR_LIMIT,
  KEYS,
  openWorld,
  requestOf,
  type ServiceWorld,
  START_MS,
  type WorldOptions,
} from "../support/service-world.ts";

const OWNER: ShardHolder = {
  incarnation: 1,
  address: "owner:1",
  isSelf: false,
};
const OTHER: ShardHolder = {
  incarnation: 9,
  address: "other:1",
  isSelf: false,
};
const self = (holder: ShardHolder): ShardHolder => ({
  ...holder,
  isSelf: true,
});

/** Who owns which shard, as a node sees it. Without `of`, one node owns all of them. */
type View = {
  sole?: ShardHolder | undefined;
  of?: (shard: number) => ShardHolder | undefined;
  reads: number;
};

function ownersOf(view: View, incarnation: number): ClusterServiceOptions["standby"] {
  return {
    ownerOf: (shard) => (shard === undefined || view.of === undefined ? view.sole : view.of(shard)),
    readOwners: async () => void view.reads++,
    status: () => ({ state: "ready", incarnation, reasons: [] }),
  };
}

/** A node that follows: its service, what it sent, and what others answer. */
type Entry = Readonly<{
  node: ClusterService;
  view: View;
  sent: PeerCall[];
  reported: string[];
  clock: ReturnType<typeof createManualClock>;
}>;

function entryOf(
  world: Pick<ServiceWorld, "accounts">,
  answer: (call: PeerCall) => PeerOutcome | Promise<PeerOutcome>,
  options: Partial<ClusterServiceOptions> = {},
): Entry {
  const clock = createManualClock({ startMs: START_MS });
  const view: View = { sole: OWNER, reads: 0 };
  const [sent, reported]: [PeerCall[], string[]] = [[], []];
  const node = createClusterService({
    standby: ownersOf(view, 2),
    ...{
      accounts: world.accounts,
      clock,
      entropy: { token: (length) => "e".repeat(length) },
    },
    rateLimiter: createMemoryRateLimiter({ clock, enforce: false }),
    telemetry: { event: (...event) => void reported.push(JSON.stringify(event)) },
    peers: {
      async send(call) {
        sent.push(call);
        return await answer(call);
      },
    },
    ...options,
  });
  return { node, view, sent, reported, clock };
}

/** The owner of all shards, and a node that follows and reaches it. */
async function openPair(
  options: WorldOptions = {},
  entryOptions: Partial<ClusterServiceOptions> = {},
): Promise<
  Readonly<{
    world: ServiceWorld;
    owner: ClusterService;
    entry: Entry;
    ownView: View;
  }>
> {
  const world = await openWorld(options);
  const ownView: View = { sole: self(OWNER), reads: 0 };
  const owner = createClusterService({
    standby: ownersOf(ownView, 1),
    ...{
      accounts: world.accounts,
      clock: world.clock,
      entropy: { token: (length) => "o".repeat(length) },
    },
    rateLimiter: createMemoryRateLimiter({
      clock: world.clock,
      enforce: false,
    }),
  });
  owner.serve(world.service);
  const entry = entryOf(world, async ({ request }) => await owner.receive(request), entryOptions);
  return { world, owner, entry, ownView };
}

const placement = (world: ServiceWorld, headers: readonly string[] = []): WireRequest =>
  requestOf("POST", "/api/order", {
    ...{
      key: KEYS.owner,
      json: FAR_LIMIT,
      query: { nonce: world.nonce() },
      headers,
    },
    address: "192.0.2.7",
  });

const codeOf = (body: string): unknown => (readJson(body) as JsonObject)["code"];
const openOrders = async (world: ServiceWorld): Promise<number> =>
  (await world.engine.account(1).openOrders({ limit: 10 })).orders.length;

describe("any node answers", () => {
  it("the owner executes a request of another node once, and its reply is passed on unchanged", async () => {
    const { world, owner, entry } = await openPair();
    const request = placement(world);
    const replies: unknown[] = [];
    const { receive } = owner;
    owner.receive = async (forwarded: ForwardedRequest) => {
      const answer = await receive.call(owner, forwarded);
      if (answer.kind === "reply") replies.push(answer.response);
      return answer;
    };
    const reply = await entry.node.handle(request);
    expect(reply.status).toBe(200);
    expect([reply]).toEqual(replies);
    expect([await openOrders(world), entry.sent.length]).toEqual([1, 1]);
    const [call] = entry.sent;
    expect(call).toMatchObject({
      address: "owner:1",
      request: {
        method: "POST",
        target: request.target,
        remoteAddress: "192.0.2.7",
        incarnation: 1,
      },
    });
    expect(call?.request.body).toEqual(request.body);
  });

  it("public requests, refusals and unknown paths have the owner's answer too", async () => {
    const { entry } = await openPair();
    const answers: unknown[] = [];
    for (const [path, key] of [
      ["/api/ping", undefined],
      ["/api/nothing", undefined],
      ["/api/v3/openOrders", KEYS.nobody],
    ] as const) {
      const { status, body } = await entry.node.handle(
        requestOf("GET", path, {
          ...(key && { key }),
          query: { timestamp: START_MS },
        }),
      );
      answers.push([status, codeOf(body)]);
    }
    expect(answers[0]).toEqual([200, undefined]);
    expect(answers[1]).toEqual([404, -1099]);
    expect(answers[2]).toEqual([401, -2015]);
  });

  it("a node answers requests for its own shards itself, and goes on forwarding those for others", async () => {
    const { world, entry, owner } = await openPair();
    entry.view.sole = self({ ...OWNER, incarnation: 2 });
    entry.node.serve(world.service);
    expect((await entry.node.handle(placement(world))).status).toBe(200);
    expect(entry.sent).toEqual([]);
    const mine = shardOf(2);
    Object.assign(entry.view, {
      sole: undefined,
      of: (shard: number) => (shard === mine ? self(OTHER) : OWNER),
    });
    expect((await entry.node.handle(placement(world))).status).toBe(200);
    expect(entry.sent).toHaveLength(1);
    expect(owner).toBeDefined();
  });

  it("while nobody can be asked, a request is refused with 503 -1001", async () => {
    const { world, entry } = await openPair();
    const refusals: unknown[] = [];
    for (const sole of [undefined, { ...OWNER, address: "" }, self(OWNER)]) {
      entry.view.sole = sole;
      const { status, body } = await entry.node.handle(placement(world));
      refusals.push([status, codeOf(body)]);
    }
    expect(refusals).toEqual([
      [503, -1001],
      [503, -1001],
      [503, -1001],
    ]);
    expect(entry.sent).toEqual([]);
  });

  it("a WebSocket is refused with 503 -1001 until the node serves, and shut down with it", async () => {
    const { world, entry } = await openPair();
    const upgrade = requestOf("GET", "/ws/liquidity");
    expect((await entry.node.sockets.admit(upgrade))?.status).toBe(503);
    entry.node.sockets.shutdown();
    entry.node.serve(world.service);
    expect((await entry.node.sockets.admit(upgrade))?.status).toBe(503);
    const open = await openPair();
    open.entry.node.serve(open.world.service);
    expect(await open.entry.node.sockets.admit(upgrade)).toBeUndefined();
  });
});

describe("the entry node weighs, the owner does not", () => {
  it("limit and used weight are those of the entry node", async () => {
    const clock = createManualClock({ startMs: START_MS });
    const rateLimiter = createMemoryRateLimiter({ clock, weightPerMinute: 3 });
    const { entry } = await openPair({ limits: { weightPerMinute: 1 } }, { rateLimiter });
    const seen: unknown[] = [];
    for (let n = 0; n < 4; n++) {
      const { status, headers } = await entry.node.handle(requestOf("GET", "/api/ping"));
      seen.push([status, headers["X-MBX-USED-WEIGHT"]]);
    }
    expect(seen).toEqual([
      [200, "1"],
      [200, "2"],
      [200, "3"],
      [429, "4"],
    ]);
    expect(entry.sent).toHaveLength(3);
  });

  it("an address that reaches N nodes has N times the limit, and a ban counts at the node that set it", async () => {
    const world = await openWorld();
    const ping = requestOf("GET", "/api/ping", { address: "192.0.2.7" });
    const nodes = [1, 2].map(() => {
      const clock = createManualClock({ startMs: START_MS });
      const rateLimiter = createMemoryRateLimiter({ clock, weightPerMinute: 3 });
      return entryOf(world, () => ({ kind: "reply", response: { status: 200, headers: {}, body: "{}" } }), {
        rateLimiter,
      }).node;
    });
    const [first, second] = nodes;
    const bodies = async (node: ClusterService | undefined, times: number): Promise<readonly string[]> => {
      const seen: string[] = [];
      for (let n = 0; n < times; n++) seen.push((await node?.handle(ping))?.body ?? "");
      return seen;
    };
    const atFirst = await bodies(first, 20);
    expect(atFirst.slice(0, 4).map(codeOf)).toEqual([undefined, undefined, undefined, -1003]);
    expect(atFirst.at(-1)).toContain("IP banned until");
    const atSecond = await bodies(second, 4);
    expect(atSecond.map(codeOf)).toEqual([undefined, undefined, undefined, -1003]);
    expect(atSecond.at(-1)).not.toContain("banned");
  });

  it("the orders of an account are counted by its owner, whichever node the client reaches", async () => {
    const { world, owner, entry } = await openPair({ limits: { ordersPer10s: 2 } });
    const other = entryOf(world, async ({ request }) => await owner.receive(request));
    const codes: unknown[] = [];
    for (const { node } of [entry, other, entry, other])
      codes.push(codeOf((await node.handle(placement(world))).body));
    expect(codes).toEqual([undefined, undefined, -1015, -1015]);
  });

  it("the address list of a key is judged by the client's address, whatever headers the client sends", async () => {
    const { world, entry } = await openPair({
      service: { settings: { trustedProxies: ["192.0.2.0/24"] } },
    });
    const from = async (address: string): Promise<number> => {
      const request = requestOf("POST", "/api/order", {
        ...{
          key: KEYS.elsewhere,
          json: FAR_LIMIT,
          query: { nonce: world.nonce() },
          address,
        },
        headers: ["X-Forwarded-For", "10.1.2.3", "X-Real-IP", "10.1.2.3"],
      });
      return (await entry.node.handle(request)).status;
    };
    expect([await from("192.0.2.7"), await from("10.1.2.3")]).toEqual([401, 200]);
    expect(entry.sent.every(({ request }) => !request.rawHeaders.includes("X-Forwarded-For"))).toBe(true);
  });

  it("behind a trusted proxy, the entry node finds the client's address", async () => {
    const { world, entry } = await openPair({}, { settings: { trustedProxies: ["192.0.2.0/24"] } });
    await entry.node.handle(placement(world, ["X-Forwarded-For", "10.1.2.3"]));
    expect(entry.sent[0]?.request.remoteAddress).toBe("10.1.2.3");
  });

  it("hostile 10: headers that came twice are refused as they are without forwarding", async () => {
    const { world, entry } = await openPair();
    const twice = placement(world, ["signature", "ab".repeat(32)]);
    const [direct, forwarded] = [await world.service.handle(twice), await entry.node.handle(twice)];
    expect([forwarded.status, codeOf(forwarded.body)]).toEqual([direct.status, codeOf(direct.body)]);
    expect(forwarded.status).toBe(400);
  });

  it("a preflight is answered by the entry node, and documents are too", async () => {
    const settings = { allowedOrigins: ["https://desk.example.com"] };
    const documents = { "/openapi.json": () => "{}" };
    const { entry } = await openPair({}, { settings, documents });
    const headers = ["Origin", "https://desk.example.com", "Access-Control-Request-Method", "POST"];
    expect((await entry.node.handle(requestOf("OPTIONS", "/api/order", { headers }))).status).toBe(204);
    expect((await entry.node.handle(requestOf("GET", "/openapi.json"))).body).toBe("{}");
    expect(entry.sent).toEqual([]);
  });
});

describe("outcomes", () => {
  const outcomeOf = async (
    outcome: PeerOutcome,
    method: "GET" | "POST" | "POST that reads",
  ): Promise<readonly unknown[]> => {
    const world = await openWorld();
    const entry = entryOf(world, () => outcome);
    const request =
      method === "POST"
        ? placement(world)
        : method === "GET"
          ? requestOf("GET", "/api/v3/openOrders", {
              key: KEYS.owner,
              query: { timestamp: START_MS },
            })
          : requestOf("POST", "/api/v2/getOrderHistory", { key: KEYS.owner, json: { limit: 1 } });
    const { status, body } = await entry.node.handle(request);
    return [status, codeOf(body), entry.sent.length];
  };

  it.each([
    ["unsent", "POST", { kind: "unsent", reason: "x" }, [503, -1001, 1]],
    ["unsent", "GET", { kind: "unsent", reason: "x" }, [503, -1001, 1]],
    ["lost", "POST", { kind: "lost", reason: "x" }, [500, -1006, 1]],
    ["lost", "GET", { kind: "lost", reason: "x" }, [503, -1001, 1]],
    ["lost", "POST that reads", { kind: "lost", reason: "x" }, [503, -1001, 1]],
    ["refused as a copy", "POST", { kind: "refused", reason: "REPLAYED" }, [500, -1006, 1]],
    ["refused by its seal", "POST", { kind: "refused", reason: "SEAL" }, [503, -1001, 1]],
    ["refused as late", "POST", { kind: "refused", reason: "EXPIRED" }, [503, -1001, 1]],
    ["refused as too much", "POST", { kind: "refused", reason: "BUSY" }, [503, -1001, 1]],
    ["refused without another owner", "POST", { kind: "refused", reason: "ELSEWHERE" }, [503, -1001, 1]],
  ] as const)("%s, %s: never sent twice", async (_, method, outcome, wanted) => {
    expect(await outcomeOf(outcome, method)).toEqual(wanted);
  });

  it.each(["ELSEWHERE", "WRONG_NODE"] as const)(
    "after %s the owners are read again, and the request goes to one other node",
    async (reason) => {
      const world = await openWorld();
      const entry = entryOf(world, ({ address }) =>
        address === "owner:1"
          ? { kind: "refused", reason }
          : {
              kind: "reply",
              response: { status: 200, headers: {}, body: "{}" },
            },
      );
      const { view } = entry;
      const { readOwners } = ownersOf(view, 2);
      expect(readOwners).toBeDefined();
      Object.defineProperty(view, "reads", {
        get: () => 0,
        set: () => {
          view.sole = OTHER;
        },
      });
      expect((await entry.node.handle(placement(world))).status).toBe(200);
      expect(entry.sent.map(({ address, request }) => [address, request.incarnation])).toEqual([
        ["owner:1", 1],
        ["other:1", 9],
      ]);
    },
  );

  it("a second node that refuses ends it", async () => {
    const world = await openWorld();
    const entry = entryOf(world, () => ({
      kind: "refused",
      reason: "ELSEWHERE",
    }));
    const { view } = entry;
    Object.defineProperty(view, "reads", {
      get: () => 0,
      set: () => {
        view.sole = view.sole === OTHER ? OWNER : OTHER;
      },
    });
    const { status, body } = await entry.node.handle(placement(world));
    expect([status, codeOf(body), entry.sent.length]).toEqual([503, -1001, 2]);
  });
});

describe("the owner executes only what is meant for it now", () => {
  const forwarded = (world: ServiceWorld, rest: Partial<ForwardedRequest> = {}): ForwardedRequest => ({
    ...placement(world),
    ...{ form: "REST" as const, incarnation: 1, expiresAtMs: START_MS + 5_000, usedWeight: 1 },
    ...rest,
  });

  it.each([
    ["another start of a node", { incarnation: 2 }, "WRONG_NODE"],
    ["a time that has passed", { expiresAtMs: START_MS - 1 }, "EXPIRED"],
    ["a time too far ahead", { expiresAtMs: START_MS + 20_001 }, "EXPIRED"],
  ] as const)("%s is refused", async (_, rest, reason) => {
    const { world, owner } = await openPair();
    expect(await owner.receive(forwarded(world, rest))).toEqual({
      kind: "refused",
      reason,
    });
    expect(await openOrders(world)).toBe(0);
  });

  it("a node that does not own the shard, or does not serve yet, executes nothing", async () => {
    const { world, owner, entry, ownView } = await openPair();
    expect(await entry.node.receive(forwarded(world, { incarnation: 2 }))).toEqual({
      kind: "refused",
      reason: "ELSEWHERE",
    });
    ownView.sole = OTHER;
    expect(await owner.receive(forwarded(world))).toEqual({
      kind: "refused",
      reason: "ELSEWHERE",
      shard: shardOf(1),
    });
    expect(await openOrders(world)).toBe(0);
  });

  it("the replay guard of the owner sees forwarded and own requests alike", async () => {
    const { world, entry } = await openPair();
    const request = placement(world);
    const first = await entry.node.handle(request);
    const again = await world.service.handle(request);
    expect([first.status, again.status]).toEqual([200, 200]);
    expect((readJson(again.body) as JsonObject)["orderId"]).toEqual(
      (readJson(first.body) as JsonObject)["orderId"],
    );
    expect(await openOrders(world)).toBe(1);
  });
});

describe("the account that a request names leads to its shard", () => {
  async function shardsOf(request: (world: ServiceWorld) => WireRequest): Promise<readonly number[]> {
    const world = await openWorld();
    const requested: number[] = [];
    const entry = entryOf(world, () => ({ kind: "unsent", reason: "x" }));
    Object.assign(entry.view, {
      sole: undefined,
      of: (shard: number) => {
        requested.push(shard);
        return OWNER;
      },
    });
    await entry.node.handle(request(world));
    return requested;
  }

  const named = (key: typeof KEYS.owner, account?: string) => (): WireRequest =>
    requestOf("POST", "/api/order", {
      key,
      json: { ...FAR_LIMIT, ...(account && { account }) },
    });

  it("the account that it names, else that of its key", async () => {
    expect(await shardsOf(named(KEYS.owner, "4"))).toEqual([shardOf(4)]);
    expect(await shardsOf(named(KEYS.owner))).toEqual([shardOf(1)]);
    expect(await shardsOf(named(KEYS.stranger))).toEqual([shardOf(2)]);
    const byQuery = (): WireRequest =>
      requestOf("GET", "/api/v3/openOrders", {
        key: KEYS.owner,
        query: { account: "3", timestamp: START_MS },
      });
    expect(await shardsOf(byQuery)).toEqual([shardOf(3)]);
  });

  it("requests without a known account have the shard of their client's network, whatever they contain", async () => {
    const places = await Promise.all(
      [
        named(KEYS.nobody),
        (): WireRequest => requestOf("GET", "/api/ping"),
        (): WireRequest =>
          requestOf("POST", "/api/order", {
            key: KEYS.owner,
            body: '{"account":',
          }),
        (): WireRequest => requestOf("GET", "/api/\u00ff\u0000?%zz"),
      ].map(shardsOf),
    );
    expect(new Set(places.map((list) => list.join()))).toHaveLength(1);
  });
});

describe("the node that is asked decides by what it has authenticated", () => {
  const THERE = shardOf(3);

  /** Account 3, whose owner lets user 1 read and trade. */
  const SHARED: AccountEntry = {
    account: {
      ...{ accountId: 3, userId: 3, enableDataSharing: true, restricted: false },
      delegates: [{ userId: 1, permissions: ["READ", "TRADE"] }],
    },
    keys: [],
  };

  /**
   * Two nodes, the second of which owns the shard of account 3. The first one, and a node that owns nothing, believe that
   * the first one owns everything.
   */
  async function openThree(): Promise<
    Readonly<{ entry: Entry; first: ClusterService; worlds: readonly [ServiceWorld, ServiceWorld] }>
  > {
    const worlds = [await openWorld(), await openWorld()] as const;
    for (const { accounts } of worlds) accounts.put(SHARED);
    const nodes = new Map<string, ClusterService>();
    const deliver = async ({ address, request }: PeerCall): Promise<PeerOutcome> =>
      (await nodes.get(address)?.receive(request)) ?? { kind: "unsent", reason: "no such node" };
    const of = (shard: number): ShardHolder => (shard === THERE ? OTHER : OWNER);
    for (const [index, mine] of [OWNER, OTHER].entries()) {
      const world = worlds[index] ?? worlds[0];
      const asSeen = (holder: ShardHolder): ShardHolder => (holder === mine ? self(holder) : holder);
      const node = createClusterService({
        standby: ownersOf(
          { reads: 0, sole: asSeen(OWNER), of: (shard) => asSeen(of(shard)) },
          mine.incarnation,
        ),
        ...{ accounts: world.accounts, clock: world.clock },
        rateLimiter: createMemoryRateLimiter({ clock: world.clock, enforce: false }),
        entropy: { token: (length) => "o".repeat(length) },
        peers: { send: deliver },
      });
      node.serve(world.service);
      nodes.set(mine.address, node);
    }
    const entry = entryOf(worlds[0], deliver);
    Object.assign(entry.view, { sole: OWNER, of });
    const [first] = nodes.values();
    if (first === undefined) throw new Error("no node");
    return { entry, first, worlds };
  }

  const pageOf = (account: string): WireRequest =>
    requestOf("GET", "/api/v3/openOrders", {
      ...{ key: KEYS.owner, query: { account, apiManaged: true, timestamp: START_MS } },
    });

  const orderOf = (account: string, nonce: string): WireRequest =>
    requestOf("POST", "/api/order", {
      key: KEYS.owner,
      json: { ...FAR_LIMIT, account: Number(account) },
      query: { nonce },
    });

  /** How many orders of account 3 each node has. */
  const ordersAt = (worlds: readonly ServiceWorld[]): Promise<readonly number[]> =>
    Promise.all(
      worlds.map(async ({ engine }) => (await engine.account(3).openOrders({ limit: 9 })).orders.length),
    );

  it("I07: a delegate's request goes on to the owner of the account, once, and is executed there only", async () => {
    const { entry, worlds } = await openThree();
    expect((await entry.node.handle(orderOf("3", "n1"))).status).toBe(200);
    expect(await ordersAt(worlds)).toEqual([0, 1]);
    const { status, body } = await entry.node.handle(pageOf("3"));
    expect([status, (readJson(body) as JsonObject)["total"]]).toEqual([200, 1]);
    const requested = entry.sent.map(({ address }) => address);
    expect(requested).toEqual(["owner:1", "other:1", "owner:1", "other:1"]);
  });

  it("a node that a client asks directly passes it on by its own reading too", async () => {
    const { first, worlds } = await openThree();
    expect((await first.handle(orderOf("3", "n1"))).status).toBe(200);
    expect(await ordersAt(worlds)).toEqual([0, 1]);
  });

  it("I07: who may not act for the account is refused by the first node, and nobody else is asked", async () => {
    const { entry, worlds } = await openThree();
    for (const request of [pageOf("2"), orderOf("2", "n1")]) {
      const { status, body } = await entry.node.handle(request);
      expect([status, codeOf(body)]).toEqual([401, -1002]);
    }
    expect(entry.sent.map(({ address }) => address)).toEqual(["owner:1", "owner:1"]);
    expect(await ordersAt(worlds)).toEqual([0, 0]);
  });

  it("a second node that names a third one ends it with 503 -1001", async () => {
    const world = await openWorld();
    const entry = entryOf(world, () => ({ kind: "refused", reason: "ELSEWHERE", shard: THERE }));
    entry.view.of = () => OTHER;
    const { status, body } = await entry.node.handle(placement(world));
    expect([status, codeOf(body), entry.sent.length]).toEqual([503, -1001, 2]);
  });
});
