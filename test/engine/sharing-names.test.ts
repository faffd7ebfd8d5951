import { describe, expect, it } from "vitest";
import { shardOf } from "../../src/lifecycle/index.ts";
import type { JournalRecord, ParentOrder } from "../../src/model/index.ts";
import { type Cluster, createCluster, type Sharer, TTL_MS } from "../support/cluster.ts";
import { accountOn, move, pairOf, placeOn } from "../support/sharing.ts";

type Pair = Readonly<{ cluster: Cluster; a: Sharer; b: Sharer; account: number }>;

/** Two nodes, of which the second runs the shard of an account, and takes a snapshot after every record. */
async function snapshotting(): Promise<Pair> {
  const { cluster, a, b } = await pairOf(createCluster(), { snapshotEvery: 1, hostTimeoutMs: 60_000 });
  return { cluster, a, b, account: accountOn(b) };
}

/** Places an order on the second node and cancels it: it has ended, and no snapshot has it. */
async function endedOrder({ cluster, b, account }: Pair, clientId: string): Promise<ParentOrder> {
  const order = await placeOn(b, account, { price: "90", newClientOrderId: clientId });
  await b.engine.cancel({ accountId: account, orderId: order.orderId });
  await cluster.pass(100);
  return order;
}

/** After the shard has moved to the first node, a client id names the order that it named before. */
async function requireKnown({ cluster, a, account }: Pair, order: ParentOrder): Promise<void> {
  await move(cluster, shardOf(account), a, 2 * TTL_MS);
  const { clientOrderId } = order.intent;
  const again = await placeOn(a, account, { price: "90", newClientOrderId: clientOrderId });
  expect(again.orderId).toBe(order.orderId);
  const other = { price: "80", newClientOrderId: clientOrderId };
  await expect(placeOn(a, account, other)).rejects.toMatchObject({ code: -2010 });
}

/** Leaves out the first record that a node reads of another, as retention could have deleted it. */
function leaveOutOne({ faults }: Sharer): void {
  faults["leases.tail"] = async (honest) => {
    const records = (await honest()) as readonly JournalRecord[];
    if (records.length === 0) return records;
    faults["leases.tail"] = undefined;
    return records.slice(1);
  };
}

describe("decision 1, IG: a client id of an order that another node has accepted and that has ended", () => {
  it("is found after the shard has moved", async () => {
    const pair = await snapshotting();
    const order = await endedOrder(pair, "one");
    await requireKnown(pair, order);
  });

  it("is found if its records were gone before this node read them", async () => {
    const pair = await snapshotting();
    leaveOutOne(pair.a);
    const order = await endedOrder(pair, "one");
    const later = await endedOrder(pair, "two");
    await requireKnown(pair, order);
    await requireKnown(pair, later);
  });

  it("is found if it was accepted and ended while the shard was read again", async () => {
    const pair = await snapshotting();
    const { cluster, a } = pair;
    leaveOutOne(a);
    const order = await endedOrder(pair, "one");
    let resume = (): void => undefined;
    a.faults.readSnapshot = async (honest) => {
      a.faults.readSnapshot = undefined;
      await new Promise<void>((resolve) => {
        resume = resolve;
      });
      return await honest();
    };
    await cluster.pass(2 * TTL_MS);
    const meanwhile = await endedOrder(pair, "two");
    resume();
    await cluster.pass(TTL_MS);
    await requireKnown(pair, order);
    await requireKnown(pair, meanwhile);
  });

  it("is found while the names of ended orders are still being read", async () => {
    const pair = await snapshotting();
    pair.a.faults.pageEndedNames = () => Promise.reject(new Error("away"));
    leaveOutOne(pair.a);
    const order = await endedOrder(pair, "one");
    await requireKnown(pair, order);
  });
});
