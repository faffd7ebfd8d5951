import { describe, expect, it } from "vitest";
import { quantity, ZERO_QUANTITY } from "../../src/decimal/index.ts";
import type { ChildRequest, ParentOrder } from "../../src/model/index.ts";
import type { ChildReport, ClusterView } from "../../src/ports/index.ts";
import { type Cluster, createCluster, type Sharer, TTL_MS } from "../support/cluster.ts";
import { createScriptedVenue, filled, fillOf, reported } from "../support/scripted-venue.ts";
import {
  accountOn,
  assignTo,
  move,
  orderOn,
  pairOf,
  placeOn,
  shardIn,
  verified,
} from "../support/sharing.ts";

const STOP = { side: "SELL", type: "STOP_MARKET", stopPrice: "95", quantity: "2" } as const;

type Sending = Readonly<{
  cluster: Cluster;
  a: Sharer;
  b: Sharer;
  order: ParentOrder;
  child: ChildRequest;
  /** Names of the nodes that handed a child over, in order. */
  sent: readonly string[];
  /** Answers the first submit. */
  answer: (answer: ChildReport | Error) => void;
}>;

/** Two nodes; a child of an order on the first is handed over, and the venue has not answered yet. */
async function sending(canVoid = true): Promise<Sending> {
  const venue = createScriptedVenue({ canVoid });
  const sent: string[] = [];
  const cluster = createCluster(venue, { submitting: (name) => void sent.push(name) });
  let answer: Sending["answer"] = () => undefined;
  venue.onSubmit = () =>
    new Promise((resolve) => {
      answer = resolve;
    });
  const { a, b } = await pairOf(cluster);
  const order = await placeOn(a, accountOn(a), STOP);
  await cluster.quote("94", "96");
  await cluster.pass(100);
  const [child] = venue.submitted;
  if (child === undefined) throw new Error("no child was sent");
  venue.onSubmit = (one) => filled(one);
  return { cluster, a, b, order, child, sent, answer: (reply) => answer(reply) };
}

/** Lets the shard of an order leave for a node until the venue is not waited for any more. */
const assign = ({ cluster, order }: Sending, to: Sharer): Promise<void> =>
  assignTo(cluster, [shardIn(order)], to);

/** The order has executed once: all of it, by the first child. */
async function requireOnce({ cluster, a, b, order, sent }: Sending): Promise<void> {
  await cluster.pass(2 * TTL_MS);
  const found = await orderOn(b, order);
  expect([found.executedQuantity, found.executions.size, found.attempts]).toEqual([quantity("2"), 1, 1]);
  expect(found.ended).toMatchObject({ status: "FILLED" });
  expect(sent).toEqual(["a"]);
  await verified([a, b]);
}

describe("I06, I07: a child that was handed over when its shard leaves", () => {
  it("is waited for: its answer is counted by the owner, and the shard goes then", async () => {
    const made = await sending();
    await assign(made, made.b);
    await made.cluster.pass(500);
    expect(made.a.engine.owns(shardIn(made.order))).toBe(true);
    made.answer(filled(made.child));
    await requireOnce(made);
  });

  it("I22: its answer is not lost with an append that fails meanwhile: a look-up may not find the child yet", async () => {
    const made = await sending(false);
    await assign(made, made.b);
    await made.cluster.pass(500);
    made.a.faults.append = async () => {
      made.a.faults.append = undefined;
      throw new Error("the store did not keep the append");
    };
    made.answer(filled(made.child));
    await made.cluster.pass(5_000);
    await made.cluster.quote("94", "96");
    await requireOnce(made);
  });

  it("is looked up by the next owner if it is not answered by its deadline, and found there", async () => {
    const made = await sending();
    made.cluster.venue.onLookup = () => filled(made.child);
    await move(made.cluster, shardIn(made.order), made.b);
    await requireOnce(made);
  });

  it("counts once if its late answer, its look-up and its event all say the same", async () => {
    const made = await sending();
    const report = filled(made.child);
    made.cluster.venue.onLookup = () => report;
    await move(made.cluster, shardIn(made.order), made.b);
    made.answer(report);
    made.cluster.venue.say(report);
    await made.cluster.pass(1_000);
    made.cluster.venue.say(report);
    await requireOnce(made);
  });

  it.each([
    ["while nobody runs the shard", 0],
    ["long before the next owner takes the shard", 4_000],
  ])("its fill is counted if the event comes %s, and nothing else tells of it", async (_what, waitMs) => {
    const made = await sending();
    const { cluster, b, child, order } = made;
    cluster.venue.onLookup = () => reported(child.childId, "open");
    b.faults.readMarks = async (honest) => {
      b.faults.readMarks = undefined;
      cluster.venue.say(filled(child));
      await new Promise<void>((resolve) =>
        cluster.clock.schedule(cluster.clock.monotonicMs() + waitMs, resolve),
      );
      return await honest();
    };
    await move(cluster, shardIn(order), b, 20_000);
    await requireOnce(made);
  });

  it("its fill is counted by the next owner if the event comes later, to both nodes", async () => {
    const made = await sending();
    const { cluster, b, child, order } = made;
    cluster.venue.onLookup = () => reported(child.childId, "open");
    await move(cluster, shardIn(order), b);
    await cluster.pass(TTL_MS);
    expect((await orderOn(b, order)).executedQuantity).toBe(ZERO_QUANTITY);
    cluster.venue.say(filled(child));
    await requireOnce(made);
  });

  it("fills before and after the move are counted once each, although every event names all of them", async () => {
    const made = await sending();
    const { cluster, a, b, child, order } = made;
    const fills = [fillOf({ quantity: "1", id: "one" }), fillOf({ quantity: "1", id: "two" })];
    const open = reported(child.childId, "open", fills.slice(0, 1));
    cluster.venue.onLookup = () => open;
    made.answer(open);
    await cluster.pass(500);
    await move(cluster, shardIn(order), b);
    cluster.venue.say(open);
    await cluster.pass(3_000);
    cluster.venue.say(reported(child.childId, "closed", fills));
    await cluster.pass(2 * TTL_MS);
    const found = await orderOn(b, order);
    expect([found.executedQuantity, found.executions.size]).toEqual([quantity("2"), 2]);
    await verified([a, b]);
  });
});

describe("a child that is decided and not handed over when its shard leaves", () => {
  it("is withdrawn by a record, and the next owner sends the order's next child at once, without the pause of a refusal", async () => {
    const venue = createScriptedVenue({ canVoid: false });
    const sent: string[] = [];
    const cluster = createCluster(venue, {
      submitting: (name, { childId }) => void sent.push(`${name} ${childId}`),
    });
    const { a, b } = await pairOf(cluster, { retryMinMs: 60_000, retryMaxMs: 60_000 });
    const order = await placeOn(a, accountOn(a), STOP);
    // The intent of the child is on its way to the store when the shard leaves.
    a.heldMs = 300;
    let isQuoted = false;
    a.faults["leases.nodes"] = async (honest) => {
      const view = (await honest()) as ClusterView;
      if (view.shards[shardIn(order)]?.next !== undefined && !isQuoted) {
        isQuoted = true;
        void cluster.quote("94", "96");
      }
      return view;
    };
    await move(cluster, shardIn(order), b);
    await cluster.quote("94", "96");
    await cluster.pass(1_000);
    expect((await orderOn(b, order)).ended).toMatchObject({ status: "FILLED" });
    expect(sent.map((one) => one.split(" ")[0])).toEqual(["b"]);
  });

  it("keeps its trigger, although the append with it fails and the price has returned when the next owner comes", async () => {
    const cluster = createCluster();
    const { a, b } = await pairOf(cluster);
    const order = await placeOn(a, accountOn(a), STOP);
    a.heldMs = 300;
    let isQuoted = false;
    a.faults["leases.nodes"] = async (honest) => {
      const view = (await honest()) as ClusterView;
      if (view.shards[shardIn(order)]?.next !== undefined && !isQuoted) {
        isQuoted = true;
        a.faults.append = async () => {
          a.faults.append = undefined;
          throw new Error("the store did not keep the append");
        };
        void cluster.quote("94", "96").then(() => cluster.quote("99", "100"));
      }
      return view;
    };
    await move(cluster, shardIn(order), b);
    a.heldMs = 0;
    await cluster.quote("99", "100");
    await cluster.pass(2 * TTL_MS);
    expect((await orderOn(b, order)).trigger).toBeDefined();
    await verified([a, b]);
  });

  it("a submit that was never answered holds no later move up", async () => {
    const made = await sending();
    const { cluster, b, child, order } = made;
    cluster.venue.onLookup = () => filled(child);
    await cluster.pass(3 * TTL_MS);
    expect((await orderOn(made.a, order)).ended).toMatchObject({ status: "FILLED" });
    // The owner reads the assignment within a beat, and the next owner reads often then.
    expect(await move(cluster, shardIn(order), b)).toBeLessThan(TTL_MS / 4 + 1_000);
  });
});
