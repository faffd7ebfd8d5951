import { describe, expect, it } from "vitest";
import { createManualClock, createMemoryRateLimiter } from "../../src/adapters/memory/index.ts";
import { createClusterService, type ForwardedRequest } from "../../src/cluster/index.ts";
import type { RateLimiter } from "../../src/ports/index.ts";
import { writeJson } from "../../src/wire/index.ts";
import { openNativeWorld } from "../support/native-world.ts";
import { FAR_LIMIT, KEYS, requestOf, SELL_PAIR, START_MS } from "../support/service-world.ts";
import { TestClient } from "../support/socket-world.ts";

const PAIR = { ...SELL_PAIR, listClientOrderId: "pair-1" };

/**
 * What takes long: the host says whose a key is, counts the orders of an account, tells the engine of the account afterwards, or
 * looks for an earlier native order.
 */
type Slow = "key" | "takeOrders" | "account" | "findRequest";

/** The owner of all shards, whose host takes so long for one answer that so many milliseconds pass. */
async function openOwner(passingMs: number, slow: Slow = "key") {
  const counting = createMemoryRateLimiter({ clock: createManualClock({ startMs: START_MS }) });
  const takeOrders = counting.takeOrders.bind(counting);
  let isCounted = false;
  const rateLimiter: RateLimiter = Object.assign(counting, {
    async takeOrders(orders: Parameters<RateLimiter["takeOrders"]>[0]) {
      if (slow === "takeOrders") await pass();
      isCounted = true;
      return await takeOrders(orders);
    },
  });
  const world = await openNativeWorld({ service: { rateLimiter } }, (native) => ({
    async findRequest(request) {
      if (slow === "findRequest") await pass();
      return await native.findRequest(request);
    },
  }));
  const { accounts, clock, service, engine } = world;
  const pass = (): Promise<void> => clock.advanceBy(passingMs, async () => undefined);
  const key = accounts.key.bind(accounts);
  const account = accounts.account.bind(accounts);
  Object.assign(accounts, {
    async account(accountId: number) {
      if (slow === "account" && isCounted) await pass();
      return await account(accountId);
    },
    async key(apiKey: string) {
      if (slow === "key") await pass();
      return await key(apiKey);
    },
  });
  const owner = createClusterService({
    standby: {
      ownerOf: () => ({ incarnation: 1, address: "owner:1", isSelf: true }),
      readOwners: async () => undefined,
      status: () => ({ state: "ready", incarnation: 1, reasons: [] }),
    },
    ...{ accounts, clock, entropy: { token: (length) => "e".repeat(length) } },
    rateLimiter: createMemoryRateLimiter({ clock }),
  });
  owner.serve(service);
  const open = async (): Promise<number> => (await engine.account(1).openOrders({ limit: 9 })).orders.length;
  const receive = async (
    request: Pick<ForwardedRequest, "form" | "method" | "target" | "rawHeaders" | "remoteAddress" | "body">,
  ): Promise<unknown> => {
    const reported = { incarnation: 1, expiresAtMs: START_MS + 1_000, usedWeight: 1 };
    const answer = await owner.receive({ ...request, ...reported });
    return answer.kind === "reply" ? answer.response : answer;
  };
  return { world, open, receive, takeOrders };
}

const text = (response: unknown): string => JSON.stringify(response);

describe("a request of another node is not executed after the time that its seal says", () => {
  it.each([
    { passingMs: 1_000, status: 200, orders: 1 },
    { passingMs: 1_001, status: 503, orders: 0 },
  ])("a REST request that reaches its account after $passingMs ms", async ({ passingMs, status, orders }) => {
    const { world, open, receive } = await openOwner(passingMs);
    const request = requestOf("POST", "/api/order", {
      ...{ key: KEYS.owner, json: FAR_LIMIT, query: { nonce: world.nonce() } },
    });
    const answer = await receive({ ...request, form: "REST" });
    expect(answer).toMatchObject({ status });
    if (status !== 200) expect(text(answer)).toContain("-1001");
    expect(await open()).toBe(orders);
  });

  it.each([
    { passingMs: 1_000, status: 200, orders: 1 },
    { passingMs: 1_001, status: 503, orders: 0 },
  ])(
    "a WebSocket message that reaches its account after $passingMs ms",
    async ({ passingMs, ...expected }) => {
      const { world, open, receive } = await openOwner(passingMs);
      const params = new TestClient(world).params(FAR_LIMIT, KEYS.owner);
      const message = writeJson({ id: "1", method: "order.place", params: params as never });
      const answer = (await receive({
        ...{ form: "MESSAGE", method: "GET", target: "/ws/listenKey", rawHeaders: [] },
        ...{ remoteAddress: "127.0.0.1", body: new TextEncoder().encode(message) },
      })) as { body: string };
      expect(JSON.parse(answer.body)).toMatchObject({ id: "1", status: expected.status });
      if (expected.status !== 200) expect(answer.body).toContain("-1001");
      expect(await open()).toBe(expected.orders);
    },
  );

  it.each([
    { passingMs: 1_000, status: 200, orders: 1 },
    { passingMs: 1_001, status: 503, orders: 0 },
  ])("a plain order of the host after $passingMs ms", async ({ passingMs, status, orders }) => {
    const { world, receive } = await openOwner(passingMs, "findRequest");
    const json = { ...FAR_LIMIT, price: "6000", type: "LIMIT", timeInForce: "GTC" };
    const query = { nonce: world.nonce() };
    const request = requestOf("POST", "/api/v2/order", { key: KEYS.owner, json, query });
    expect(await receive({ ...request, form: "REST" })).toMatchObject({ status });
    expect(await world.paper.native.open?.({ accountId: 1, limit: 9 })).toHaveLength(orders);
  });

  const placements = [
    { path: "/api/order", json: FAR_LIMIT, passingMs: 1_000, status: 200, orders: 1 },
    { path: "/api/order", json: FAR_LIMIT, passingMs: 1_001, status: 503, orders: 0 },
    { path: "/api/v3/orderList/oco", json: PAIR, passingMs: 1_000, status: 200, orders: 2 },
    { path: "/api/v3/orderList/oco", json: PAIR, passingMs: 1_001, status: 503, orders: 0 },
  ];
  it.each([
    ...placements.map((one) => ({ ...one, slow: "takeOrders" as const })),
    ...placements.map((one) => ({ ...one, slow: "account" as const })),
  ])(
    "a placement at $path that waits $passingMs ms for $slow",
    async ({ path, json, passingMs, status, orders, slow }) => {
      const { world, open, receive, takeOrders } = await openOwner(passingMs, slow);
      const query = { nonce: world.nonce() };
      const answer = await receive({
        ...requestOf("POST", path, { key: KEYS.owner, json, query }),
        form: "REST",
      });
      expect(answer).toMatchObject({ status });
      if (status !== 200) expect(text(answer)).toContain("-1001");
      expect(await open()).toBe(orders);
      // What was not placed does not count.
      expect((await takeOrders({ accountId: 1, count: 1 })).counts.perDay).toBe(orders + 1);
    },
  );
});
