import { describe, expect, it, vi } from "vitest";
import { ROUTES } from "../../../src/requests/index.ts";
import { Bans } from "../../../src/service/access/rate-limits.ts";
import type { WireResponse } from "../../../src/wire/index.ts";
import { openNativeWorld, RESTING } from "../../support/native-world.ts";
import {
  call,
  KEYS,
  openWorld,
  placeList,
  type Reply,
  requestOf,
  type ServiceWorld,
  START_MS,
} from "../../support/service-world.ts";
import { openSocketWorld, TestClient } from "../../support/socket-world.ts";

const BANNED = { code: 1008, reason: "banned" };

/** Sends requests at a limit of 1 until the address is banned. */
async function provoke(world: ServiceWorld, address: string): Promise<void> {
  for (let count = 0; count < 11; count++) await call(world, "GET", "/api/ping", { address });
}

const statusOf = async (world: ServiceWorld, address: string): Promise<number> =>
  (await call(world, "GET", "/api/ping", { address })).status;

describe("the answers to a refused address", () => {
  it.each(["limit", "ban"] as const)(
    "%s: the same on every route, with the seconds as text in header and body",
    async (kind) => {
      const world = await openWorld({ limits: { weightPerMinute: 1 } });
      await world.clock.advanceTo(START_MS + 15_500);
      await call(world, "GET", "/api/ping", { address: "192.0.2.1" });
      if (kind === "ban") await provoke(world, "192.0.2.1");
      const seconds = kind === "ban" ? "120" : "45";
      // The first nine refusals are for the limit.
      for (const { method, path } of kind === "ban" ? ROUTES : ROUTES.slice(0, 9)) {
        const { status, headers, body } = await call(world, method, path, { address: "192.0.2.1" });
        expect([path, status, headers["Retry-After"], body.retryAfter]).toEqual([
          path,
          429,
          seconds,
          seconds,
        ]);
        expect([body.code, String(body.error).startsWith(String(body.msg))]).toEqual([-1003, true]);
        expect(body.msg).toContain(
          kind === "ban" ? `banned until ${START_MS + 135_500}` : "1 request weight per",
        );
      }
    },
  );

  it("weight headers are on every reply, of every route, successful or refused, limited and banned too", async () => {
    const world = await openWorld({ limits: { weightPerMinute: 500 } });
    let used = 0;
    const reported = ({ headers }: Reply): readonly unknown[] => [
      headers["X-MBX-USED-WEIGHT"],
      headers["X-MBX-USED-WEIGHT-1M"],
    ];
    for (const { method, path, weight } of ROUTES) {
      const reply = await call(world, method, path);
      used += typeof weight === "number" ? weight : weight(new Map());
      expect([path, reply.status === 429, ...reported(reply)]).toEqual([
        path,
        false,
        String(used),
        String(used),
      ]);
    }
    const statuses = new Set<string>();
    for (let count = 0; count < 40; count++) {
      const reply = await call(world, "GET", "/api/exchangeInfo");
      const [one, other] = reported(reply);
      expect([typeof one, other]).toEqual(["string", one]);
      statuses.add(`${reply.status} ${String(reply.body.msg ?? "").includes("banned")}`);
    }
    expect([...statuses]).toEqual(["200 false", "429 false", "429 true"]);
  });

  it("convention 5.3: order counts are on accepted placements of every kind, and nowhere else", async () => {
    const world = await openNativeWorld({ limits: {} });
    const key = KEYS.owner;
    const counted = ({ headers }: Pick<WireResponse, "headers">): readonly unknown[] => [
      headers["X-MBX-ORDER-COUNT-10S"],
      headers["X-MBX-ORDER-COUNT-1D"],
    ];
    const native = await call(world, "POST", "/api/v2/order", { key, json: RESTING });
    expect(counted(native)).toEqual(["1", "1"]);
    expect(counted(await placeList(world, "otoco"))).toEqual(["4", "4"]);
    const refused = await call(world, "POST", "/api/v2/order", { key, json: { ...RESTING, quantity: "0" } });
    expect([refused.status, ...counted(refused)]).toEqual([400, undefined, undefined]);
    const query = { symbol: "BTC/USD", orderId: native.body.orderId as number, nonce: "1" };
    const canceled = await call(world, "DELETE", "/api/order", { key, query });
    expect([canceled.status, ...counted(canceled)]).toEqual([200, undefined, undefined]);
  });
});

describe("addresses that count as one", () => {
  it("a /64 of IPv6 is limited and banned as one, its neighbor is not", async () => {
    const world = await openWorld({ limits: { weightPerMinute: 1 } });
    expect(await statusOf(world, "2001:db8:1:2::1")).toBe(200);
    for (let host = 2; host < 12; host++) expect(await statusOf(world, `2001:db8:1:2:${host}::1`)).toBe(429);
    await world.clock.advanceBy(61_000);
    expect(await statusOf(world, "2001:db8:1:2:ffff:ffff:ffff:ffff")).toBe(429);
    expect(await statusOf(world, "2001:db8:1:3::1")).toBe(200);
  });

  it("IPv4 is one address in both of its forms, with and without a zone", async () => {
    const world = await openWorld({ limits: { weightPerMinute: 4 } });
    for (const address of ["192.0.2.1", "::ffff:192.0.2.1", "::ffff:c000:201", "::ffff:192.0.2.1%eth0"])
      expect(await statusOf(world, address)).toBe(200);
    expect(await statusOf(world, "192.0.2.1")).toBe(429);
    expect(await statusOf(world, "::ffff:192.0.2.2")).toBe(200);
  });

  it("address lists of keys stay exact: another address of the same /64 is not on them", async () => {
    const world = await openWorld();
    const account = { accountId: 1, userId: 1, enableDataSharing: true, delegates: [], restricted: false };
    const rest = { userId: 1, accountId: 1, permissions: ["READ"] as const };
    world.accounts.put({ account, keys: [{ ...KEYS.owner, ...rest, ipAllowlist: ["2001:db8:1:2::1"] }] });
    const status = async (address: string): Promise<number> => {
      const query = { apiManaged: true, nonce: world.nonce() };
      return (await call(world, "GET", "/api/v3/openOrders", { key: KEYS.owner, query, address })).status;
    };
    expect(await status("2001:db8:1:2::1")).toBe(200);
    expect(await status("2001:db8:1:2::1%eth0")).toBe(200);
    expect(await status("2001:db8:1:2::2")).toBe(401);
  });

  it("connections are counted in the same way", async () => {
    const world = await openWorld({ limits: { connectionsPer5Min: 2 } });
    const admitted = async (address: string): Promise<number | undefined> =>
      (await world.service.sockets.admit(requestOf("GET", "/ws/liquidity", { address })))?.status;
    expect([await admitted("2001:db8::1"), await admitted("2001:db8::2")]).toEqual([undefined, undefined]);
    expect([await admitted("2001:db8::3"), await admitted("2001:db8:0:1::1")]).toEqual([429, undefined]);
  });
});

describe("convention 4.1: a banned address is disconnected", () => {
  it("all of its connections end, private and public, whatever caused the ban; no others", async () => {
    const { world, client } = await openSocketWorld(
      { limits: { weightPerMinute: 2 } },
      { address: "192.0.2.1" },
    );
    const market = new TestClient(world, { target: "/ws/liquidity", address: "::ffff:192.0.2.1" });
    const other = new TestClient(world, { address: "192.0.2.2" });
    market.session.receive('{"method":"SUBSCRIBE","params":["btcusd@bookTicker"],"id":1}');
    await market.until(() => market.texts.length > 0);
    for (let count = 0; count < 10; count++) await statusOf(world, "192.0.2.1");
    expect([client.closed, market.closed]).toEqual([undefined, undefined]);
    await statusOf(world, "192.0.2.1");
    expect([client.closed, market.closed, other.closed]).toEqual([BANNED, BANNED, undefined]);
    const { length } = market.texts;
    world.feed.quote({ symbol: "BTC/USD", bid: "1", ask: "2" });
    expect(market.texts).toHaveLength(length);
  });

  it("the connection that caused the ban is answered first; the other ends with it", async () => {
    const { world, client } = await openSocketWorld({ limits: { weightPerMinute: 1 } });
    const other = new TestClient(world);
    for (let count = 0; count < 9; count++) await client.ask("session.subscriptions");
    expect(client.closed).toBeUndefined();
    const last = await client.ask("session.subscriptions").catch(() => client.replies.at(-1));
    expect(last).toMatchObject({ status: 429, error: { code: -1003 } });
    expect([client.replies.length, client.closed, other.closed]).toEqual([10, BANNED, BANNED]);
  });

  it("a ban at the upgrade ends the open ones too; one that has ended is not ended again", async () => {
    const { world, client } = await openSocketWorld(
      { limits: { weightPerMinute: 1 } },
      { address: "2001:db8::1" },
    );
    const gone = new TestClient(world, { address: "2001:db8::2" });
    gone.session.closed();
    for (let count = 0; count < 11; count++)
      await world.service.sockets.admit(requestOf("GET", "/ws/liquidity", { address: `2001:db8::${count}` }));
    expect([client.closed, gone.closed]).toEqual([BANNED, undefined]);
  });

  it("a connection that opens during the ban is not admitted", async () => {
    const world = await openWorld({ limits: { weightPerMinute: 1 } });
    await provoke(world, "192.0.2.1");
    const request = requestOf("GET", "/ws/listenKey", { address: "192.0.2.1" });
    const refused = await world.service.sockets.admit(request);
    expect([refused?.status, refused?.headers["Retry-After"]]).toEqual([429, "120"]);
  });

  it("a connection that has ended is forgotten, whichever side ended it", async () => {
    const forget = vi.fn();
    const watch = vi.spyOn(Bans.prototype, "watch").mockReturnValue(forget);
    const world = await openWorld();
    for (const target of ["/ws/listenKey", "/ws/liquidity"]) {
      new TestClient(world, { target }).session.closed();
      new TestClient(world, { target }).session.receiveBinary();
    }
    watch.mockRestore();
    expect(forget).toHaveBeenCalledTimes(4);
  });

  it("a ban of an address without connections ends none", () => {
    const [bans, ended] = [new Bans(), vi.fn()];
    const forget = bans.watch("192.0.2.1", () => ended("one"));
    const forgetOther = bans.watch("::ffff:192.0.2.1", () => ended("other"));
    forget();
    bans.notify("192.0.2.1");
    forgetOther();
    bans.notify("192.0.2.1");
    expect(ended.mock.calls).toEqual([["other"]]);
  });
});
