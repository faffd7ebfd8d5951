import { describe, expect, it } from "vitest";
import { shardOf } from "../../src/lifecycle/index.ts";
import { createCluster, TTL_MS } from "../support/cluster.ts";
import { createScriptedVenue, filled } from "../support/scripted-venue.ts";
import {
  accountOn,
  assignedTo,
  assignTo,
  orderOn,
  pairOf,
  placeOn,
  runnersOf,
  shardIn,
  verified,
} from "../support/sharing.ts";

const STOP = { side: "SELL", type: "STOP_MARKET", stopPrice: "95" } as const;

describe("decision KY: a quote that has met an order before the shard of the order leaves", () => {
  it("triggers it also if the trust of the node has lapsed meanwhile: the next owner does not see that quote", async () => {
    const sent: string[] = [];
    const cluster = createCluster(createScriptedVenue(), { submitting: (name) => void sent.push(name) });
    const { a, b } = await pairOf(cluster);
    const order = await placeOn(a, accountOn(a), STOP);
    a.faults["leases.renew"] = () => Promise.reject(new Error("away"));
    a.skewMs = -60_000;
    await cluster.quote("94", "96");
    await cluster.quote("100", "101");
    await assignTo(cluster, [shardIn(order)], b);
    await cluster.pass(5_000);
    expect(sent).toEqual([]);
    a.skewMs = 0;
    a.faults["leases.renew"] = undefined;
    await cluster.pass(TTL_MS);
    expect(runnersOf([a, b], shardIn(order))).toEqual(["b"]);
    expect((await orderOn(b, order)).trigger).toBeDefined();
    await cluster.quote("100", "101");
    await cluster.pass(TTL_MS);
    expect(sent).toEqual(["b"]);
    await verified([a, b]);
  });

  it("triggers all of many orders, also while the store is behind with the records of the first ones", async () => {
    const venue = createScriptedVenue();
    venue.onSubmit = (child) => filled(child);
    const { cluster, a, b } = await pairOf(createCluster(venue));
    const accountId = accountOn(a);
    const orders = await Promise.all(Array.from({ length: 600 }, () => placeOn(a, accountId, STOP)));
    await assignedTo(cluster, shardOf(accountId), { from: a, to: b });
    a.heldMs = 1_000;
    await cluster.quote("94", "96");
    await cluster.quote("100", "101");
    while (runnersOf([b], shardOf(accountId)).length === 0) await cluster.pass(500);
    const found = await Promise.all(orders.map((order) => orderOn(b, order)));
    expect(found.filter(({ trigger }) => trigger === undefined)).toHaveLength(0);
  });
});
