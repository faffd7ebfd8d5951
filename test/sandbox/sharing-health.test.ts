import { describe, expect, it } from "vitest";
import type { ClusterNode, ClusterNodeState } from "../../src/cluster/index.ts";
import { EngineError, type StatusKind } from "../../src/engine/index.ts";
import { answerSharing, ElsewhereError } from "../../src/sandbox/control-routes.ts";
import type { SharedExchange } from "../../src/sandbox/exchange.ts";
import { sharingHealth, withHealth } from "../../src/sandbox/health.ts";
import type { JsonInput, WireRequest, WireResponse } from "../../src/wire/index.ts";

type Fake = Readonly<{ state?: ClusterNodeState; shards?: number; kinds?: readonly StatusKind[] }>;

/** A node with this state, and its engine as far as health and the control interface ask it. */
function shared({ state = "active", shards = 86, kinds = [] }: Fake = {}): SharedExchange {
  const elsewhere = (): Promise<never> => Promise.reject(new EngineError("SHARD_ELSEWHERE", { shard: 7 }));
  const engine = {
    status: () => ({ system: "normal", reasons: kinds.map((kind) => ({ kind, detail: "" })) }),
    metrics: () => ({ openParents: 3, journalSequence: 12 }),
    story: (orderId: number) => (orderId === 1 ? Promise.resolve({ records: [] }) : elsewhere()),
    settleChild: elsewhere,
  };
  const node = {
    engine,
    status: () => ({ state, shards, incarnation: 4, keepsMarket: false, reasons: ["the store fails: gone"] }),
    verify: async () => ({ equal: true, records: 5 }),
    ownerOf: (shard: number) =>
      shard === 7 ? { incarnation: 9, address: "10.0.0.6:7443", isSelf: false } : undefined,
  };
  const exchange = { engine, clock: { nowMs: () => 1 }, desk: { answer: () => undefined } };
  return {
    node: node as unknown as ClusterNode,
    exchange: exchange as unknown as SharedExchange["exchange"],
  };
}

const requested = (target: string): WireRequest => ({ target }) as WireRequest;

const healthOf = async (fake: Fake): Promise<readonly [number, unknown]> => {
  const handle = withHealth(
    () => sharingHealth(shared(fake).node),
    () => Promise.reject(new Error("passed on")),
  );
  const { status, body } = await handle(requested("/health"));
  return [status, JSON.parse(String(body))];
};

describe("GET /health of a sandbox that shares", () => {
  it.each(["following", "ready", "active", "handing-over"] as const)(
    "is 200 while it is %s, because it answers for all accounts",
    async (state) => {
      expect(await healthOf({ state, shards: 0 })).toEqual([200, { state, shards: 0, reasons: [] }]);
    },
  );

  it.each(["DRAINING", "CLOSED", "STORE_FAILING", "DISK_FULL", "LEASE_LAPSED"] as const)(
    "is 503 with %s",
    async (kind) => {
      const body = { state: "degraded", shards: 86, reasons: [kind] };
      expect(await healthOf({ kinds: [kind] })).toEqual([503, body]);
    },
  );

  it("is 200 with a reason to look that does not keep it from serving", async () => {
    const kinds = ["SHARDS_UNOWNED", "CHILD_UNKNOWN"] as const;
    expect(await healthOf({ kinds })).toEqual([200, { state: "active", shards: 86, reasons: kinds }]);
  });

  it.each(["lost", "closed"] as const)("is 503 when it is %s", async (state) => {
    expect(await healthOf({ state, kinds: ["LEASE_LOST"] })).toEqual([
      503,
      { state, shards: 86, reasons: ["LEASE_LOST"] },
    ]);
  });

  it("passes every other request on", async () => {
    const reply: WireResponse = { status: 204, headers: {}, body: "" };
    const handle = withHealth(
      () => sharingHealth(shared().node),
      async () => reply,
    );
    expect(await handle(requested("/api/ping"))).toBe(reply);
  });
});

const control = async (
  method: string,
  path: string,
  body?: JsonInput,
  of: SharedExchange = shared(),
): Promise<unknown> => {
  const call = { method, path: path.split("/"), query: new Map(), body };
  return await answerSharing(of, call as Parameters<typeof answerSharing>[1]);
};

describe("the control interface of a sandbox that shares", () => {
  it("tells of its node: state, shards, the market journal, and why it takes no more", async () => {
    expect(await control("GET", "health")).toEqual({
      ...{ ok: true, state: "active", now: 1, openParents: 3, journalSequence: 12 },
      ...{ shards: 86, keepsMarket: false, reasons: ["the store fails: gone"] },
    });
  });

  it("is not ok while its engine cannot serve", async () => {
    expect(await control("GET", "health", undefined, shared({ kinds: ["DISK_FULL"] }))).toMatchObject({
      ...{ ok: false, state: "degraded" },
    });
  });

  it("verifies all shards, those of other nodes too", async () => {
    expect(await control("GET", "verify")).toEqual({ equal: true, records: 5 });
  });

  it("answers about orders of its own shards, and names the owner of others", async () => {
    expect(await control("GET", "orders/1/journal")).toEqual([]);
    await expect(control("GET", "orders/2/journal")).rejects.toThrow(
      new ElsewhereError(7, { incarnation: 9, address: "10.0.0.6:7443", isSelf: false }),
    );
    const settlement = { child: "aqc-2-1-1", state: "never", by: "an operator", why: "asked" };
    await expect(control("POST", "venue/settle", settlement)).rejects.toThrow(
      "the order or account is of shard 7, which another sandbox on the same store owns: ask the one whose PEER_PORT is at 10.0.0.6:7443 (node 9)",
    );
    expect(new ElsewhereError(7, undefined).message).toBe(
      "the order or account is of shard 7, which no sandbox owns at the moment: ask again later",
    );
  });
});
