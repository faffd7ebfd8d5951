import { describe, expect, it } from "vitest";
import { call, KEYS, openWorld, place, type Reply, type ServiceWorld } from "../support/service-world.ts";
import { openSocketWorld } from "../support/socket-world.ts";

const HOUR = 3_600_000;

/** Set back by an hour and corrected, or set forward and corrected; requests come before, between and after. */
const WAYS = [
  ["back an hour, then forth", [-HOUR, HOUR]],
  ["forth an hour, then back", [HOUR, -HOUR]],
] as const;

const openOrders = (world: ServiceWorld): Promise<Reply> =>
  call(world, "GET", "/api/v3/openOrders", {
    key: KEYS.owner,
    query: { apiManaged: true, timestamp: world.clock.nowMs() },
  });

const serverTime = async (world: ServiceWorld): Promise<unknown> =>
  (await call(world, "GET", "/api/time")).body.serverTime;

describe.each(WAYS)("the wall clock is set %s", (_way, steps) => {
  it("/api/time shows it, and a client with the right time never gets -1021", async () => {
    const world = await openWorld();
    for (const stepMs of [0, ...steps]) {
      world.clock.stepWall(stepMs);
      expect(await serverTime(world)).toBe(world.clock.nowMs());
      expect((await openOrders(world)).status).toBe(200);
      await world.clock.advanceBy(2_000);
      expect((await openOrders(world)).status).toBe(200);
      expect((await place(world, { newClientOrderId: `at-${world.clock.monotonicMs()}` })).status).toBe(200);
    }
  });

  it("hostile 20: a used signature is valid for nothing else within the day for which it is remembered", async () => {
    const world = await openWorld();
    const query = { apiManaged: true, nonce: "once" };
    expect((await call(world, "GET", "/api/v3/openOrders", { key: KEYS.owner, query })).status).toBe(200);
    await world.clock.advanceBy(1001);
    for (const stepMs of steps) {
      world.clock.stepWall(stepMs * 48);
      const other = await call(world, "DELETE", "/api/v3/openOrders", { key: KEYS.owner, query });
      expect(other.body.code).toBe(-1022);
    }
  });

  it("a connection lives for its day, and is pinged every 20 s", async () => {
    const { world, client } = await openSocketWorld();
    for (const [index, stepMs] of steps.entries()) {
      world.clock.stepWall(stepMs * 48);
      await world.clock.advanceBy(20_000);
      expect([client.pings, client.closed]).toEqual([index + 1, undefined]);
      client.session.ponged();
    }
  });
});
