import { describe, expect, it } from "vitest";
import { shardOf } from "../../src/lifecycle/index.ts";
import { type Cluster, createCluster, type Sharer, settle, TTL_MS } from "../support/cluster.ts";
import { OCO, OTOCO } from "../support/list-samples.ts";
import { createScriptedVenue } from "../support/scripted-venue.ts";
import {
  accountOn,
  assignedTo,
  leasesOf,
  move,
  pairOf,
  placeOn,
  runnersOf,
  verified,
} from "../support/sharing.ts";
import { listOf } from "../support/world.ts";

const ELSEWHERE = { reason: "SHARD_ELSEWHERE", code: -1001 };
/** Hosts may take longer than a move does. */
const PATIENT = { hostTimeoutMs: 60_000 } as const;

const ONE = { price: "90", newClientOrderId: "one" } as const;

type Slow = Readonly<{ cluster: Cluster; a: Sharer; b: Sharer; account: number; answer: () => void }>;

/** Two nodes, whose host answers questions for accounts of the first node only when it is told to. */
async function slow(): Promise<Slow> {
  let answer = (): void => undefined;
  let isSlow = false;
  const cluster = createCluster(createScriptedVenue(), {
    requesting: (name) =>
      name === "a" && isSlow
        ? new Promise<void>((resolve) => {
            answer = resolve;
          })
        : undefined,
  });
  const { a, b } = await pairOf(cluster, PATIENT);
  isSlow = true;
  return {
    ...{ cluster, a, b, account: accountOn(a) },
    answer: () => {
      isSlow = false;
      answer();
    },
  };
}

/** Waits in a store for the first call of a name. */
function held(node: Sharer, name: string): () => void {
  let resume = (): void => undefined;
  const waiting = new Promise<void>((resolve) => {
    resume = resolve;
  });
  node.faults[name] = async (honest) => {
    node.faults[name] = undefined;
    const answer = await honest();
    await waiting;
    return answer;
  };
  return () => resume();
}

describe("a placement that waits for the host while its shard leaves", () => {
  it.each([
    ["to another node", false],
    ["and comes back", true],
  ])("%s is refused: one client id names one order", async (_what, comesBack) => {
    const { cluster, a, b, account, answer } = await slow();
    const waiting = placeOn(a, account, ONE);
    const refused = expect(waiting).rejects.toMatchObject(ELSEWHERE);
    await move(cluster, shardOf(account), b);
    const order = await placeOn(b, account, { ...ONE, price: "80" });
    if (comesBack) await move(cluster, shardOf(account), a);
    answer();
    await refused;
    await settle();
    const owner = comesBack ? a : b;
    expect((await placeOn(owner, account, { ...ONE, price: "80" })).orderId).toBe(order.orderId);
    await expect(placeOn(owner, account, ONE)).rejects.toMatchObject({ code: -2010 });
    await cluster.pass(TTL_MS);
    expect((await verified([a, b])).records).toBe(1);
  });

  it.each(["oco", "otoco"] as const)("a list (%s) is refused as well", async (form) => {
    const { cluster, a, b, account, answer } = await slow();
    const list = listOf(form, { ...(form === "oco" ? OCO : OTOCO), listClientOrderId: "one" } as never);
    const waiting = a.engine.placeList({ accountId: account, list });
    const refused = expect(waiting).rejects.toMatchObject(ELSEWHERE);
    await move(cluster, shardOf(account), b);
    const placed = await b.engine.placeList({ accountId: account, list });
    await move(cluster, shardOf(account), a);
    answer();
    await refused;
    const again = await a.engine.placeList({ accountId: account, list });
    expect([again.created, again.list.listId]).toEqual([false, placed.list.listId]);
    await cluster.pass(TTL_MS);
    expect((await verified([a, b])).records).toBe(1);
  });

  it("is refused if the shard comes back after a release without an answer: another node may have had it", async () => {
    const { cluster, a, b, account, answer } = await slow();
    const shard = shardOf(account);
    const waiting = placeOn(a, account, ONE);
    const refused = expect(waiting).rejects.toMatchObject(ELSEWHERE);
    a.faults["leases.release"] = () => Promise.reject(new Error("away"));
    const leases = leasesOf(cluster);
    await leases.assign({ shards: [shard], to: b.node.status().incarnation });
    while (runnersOf([a], shard).length > 0) await cluster.pass(100);
    await leases.assign({ shards: [shard] });
    // Until it has read that, it would release the shard to the other node.
    await cluster.pass(TTL_MS);
    a.faults["leases.release"] = undefined;
    await cluster.pass(TTL_MS);
    expect(runnersOf([a, b], shard)).toEqual(["a"]);
    answer();
    await refused;
    expect((await placeOn(a, account, ONE)).accountId).toBe(account);
  });
});

describe("I71: a read that waits for the store while its shard leaves", () => {
  it.each([
    [
      "a page",
      "pageEnded",
      ({ engine }: Sharer, accountId: number) =>
        engine.page({ accountId, includeHistory: true, newestFirst: true, limit: 10, afterOrderId: 0 }),
    ],
    [
      "a look-up",
      "findEnded",
      ({ engine }: Sharer, accountId: number) => engine.find({ accountId, clientOrderId: "unknown" }),
    ],
    [
      "the lists",
      "pageEndedLists",
      ({ engine }: Sharer, accountId: number) => engine.allLists({ accountId, limit: 10 } as never),
    ],
  ] as const)(
    "%s is not answered by the node before, also when the shard has come back",
    async (_what, call, read) => {
      for (const comesBack of [false, true]) {
        const { cluster, a, b } = await pairOf(createCluster(), PATIENT);
        const account = accountOn(a);
        await placeOn(a, account, { price: "90" });
        const resume = held(a, call);
        const reading = read(a, account);
        const refused = expect(reading).rejects.toMatchObject(ELSEWHERE);
        await move(cluster, shardOf(account), b);
        await placeOn(b, account, { price: "91", newClientOrderId: "unknown" });
        if (comesBack) await move(cluster, shardOf(account), a);
        resume();
        await refused;
      }
    },
  );
});

describe("I52: cancels while the shard leaves", () => {
  it("a cancel that is decided is answered when it is durable; one that comes later is refused, and nothing is lost", async () => {
    const { cluster, a, b } = await pairOf();
    const account = accountOn(a);
    const [one, two] = [await placeOn(a, account, ONE), await placeOn(a, account, { price: "91" })];
    await assignedTo(cluster, shardOf(account), { from: a, to: b });
    a.heldMs = 500;
    const canceling = a.engine.cancel({ accountId: account, orderId: one.orderId });
    while (runnersOf([a], shardOf(account)).length > 0) await cluster.pass(20);
    await expect(a.engine.cancel({ accountId: account, orderId: two.orderId })).rejects.toMatchObject(
      ELSEWHERE,
    );
    await expect(a.engine.cancelAll(account)).rejects.toMatchObject(ELSEWHERE);
    await cluster.pass(6_000);
    expect(await canceling).toMatchObject({ ended: { reason: "USER_CANCELED" } });
    expect(runnersOf([a, b], shardOf(account))).toEqual(["b"]);
    expect(await b.engine.cancelAll(account)).toMatchObject({ matchedCount: 1, canceledCount: 1 });
    await cluster.pass(TTL_MS);
    await verified([a, b]);
  });

  it("a list whose cancel is durable is answered, although its shard has left when it is read", async () => {
    const { cluster, a, b } = await pairOf();
    const account = accountOn(a);
    const { list } = await a.engine.placeList({ accountId: account, list: listOf("oco", OCO) });
    const resume = held(a, "findEndedList");
    const canceling = a.engine.cancelList({ accountId: account, listId: list.listId });
    await move(cluster, shardOf(account), b);
    resume();
    expect((await canceling).legs.map(({ ended }) => ended?.reason)).toEqual([
      "USER_CANCELED",
      "USER_CANCELED",
    ]);
  });
});

describe("I64: the bound of open orders of a node", () => {
  it("counts orders that came with shards", async () => {
    const { cluster, a, b } = await pairOf(createCluster(), { maxOpenParents: 24 });
    const [mine, other] = [accountOn(a), accountOn(b)];
    await placeOn(b, other, { price: "90" });
    for (let n = 0; n < 20; n++) await placeOn(a, mine, { price: "90" });
    await move(cluster, shardOf(mine), b);
    for (let n = 0; n < 3; n++) await placeOn(b, other, { price: "90" });
    await expect(placeOn(b, other, { price: "90" })).rejects.toMatchObject({ reason: "SERVER_BUSY" });
  });
});
