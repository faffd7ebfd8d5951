import { expect, it } from "vitest";
import { createCluster, settle, TTL_MS } from "../support/cluster.ts";

it("decision KY: a node that was declared dead while it opened says so on its engine, and decides nothing", async () => {
  const cluster = createCluster(undefined, {
    faults: (name) =>
      name === "b"
        ? {
            // It stands still until the others have declared it dead.
            readVolume: async (honest) => {
              await new Promise<void>((resolve) =>
                cluster.clock.schedule(cluster.clock.monotonicMs() + 3 * TTL_MS, resolve),
              );
              return honest();
            },
            "leases.renew": async (honest) => {
              if (cluster.clock.monotonicMs() < blockedUntilMs)
                throw new Error("the store cannot be reached");
              return honest();
            },
          }
        : {},
  });
  let blockedUntilMs = 0;
  const a = await cluster.join("a");
  await cluster.pass(TTL_MS);
  blockedUntilMs = cluster.clock.monotonicMs() + 2 * TTL_MS;
  const opening = cluster.join("b", { hostTimeoutMs: 10 * TTL_MS });
  await cluster.pass(4 * TTL_MS);
  const b = await opening;
  await settle();
  expect(b.node.status()).toMatchObject({ state: "lost", shards: 0 });
  expect(b.engine.status().reasons.map(({ kind }) => kind)).toContain("LEASE_LOST");
  await expect(b.engine.find({ accountId: 1, orderId: -1 })).rejects.toMatchObject({ code: -1001 });
  expect(a.node.status()).toMatchObject({ state: "active", shards: 256 });
});
