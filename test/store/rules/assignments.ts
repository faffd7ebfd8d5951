import { same } from "../../../src/conformance/checks.ts";
import type { ClusterView, OrderStore, ShardLeases } from "../../../src/ports/index.ts";
import { ENTRY, every, joined, leaseRules, leasesOf } from "./lease-rules.ts";
import { part, sampleRecord } from "./samples.ts";
import type { StoreRules } from "./world.ts";

/** The market journal among the shards. */
const MARKET = every(0).shards.length - 1;

/** Returns the assigned shards with the nodes to which they shall go. */
async function plan(leases: ShardLeases): Promise<readonly (readonly [shard: number, to: number])[]> {
  const { shards } = await leases.nodes();
  return shards.flatMap(({ shard, next }) => (next === undefined ? [] : [[shard, next] as const]));
}

const ownersIn = ({ shards }: ClusterView): readonly unknown[] =>
  shards.map(({ shard, epoch, incarnation }) => [shard, epoch, incarnation]);

/** Two nodes with handles of their own: one that owns shards 1 to 4 and the market journal, and one without shards. */
async function ownerAndTarget(
  leases: ShardLeases,
  open: () => Promise<OrderStore>,
): Promise<Readonly<{ a: number; b: number; other: ShardLeases }>> {
  const other = leasesOf(await open());
  const [a, b] = [await joined(leases), await joined(other, "b")];
  await leases.claim({ incarnation: a, shards: [1, 2, 3, 4, MARKET] });
  return { a, b, other };
}

/** Rules of the leases of an order store: to whom owners shall give their shards. */
export const assignments: StoreRules = leaseRules({
  async "the row of a node says whether the node shares the shards, as it said when it joined"(leases) {
    for (const entry of [{ ...ENTRY, shares: true }, { ...ENTRY, shares: false }, ENTRY]) {
      const { incarnation } = await leases.join(entry);
      await leases.renew({ incarnation, state: "ready" });
      const row = (await leases.nodes()).nodes.find((one) => one.incarnation === incarnation);
      const { shares = false } = entry;
      same(`shares of a node that joined with ${entry.shares}`, row?.shares ?? false, shares);
    }
  },

  async "an assignment is in the rows of its shards until it is withdrawn, and changes neither owner nor epoch"(
    leases,
    { store, open },
  ) {
    const { a, b, other } = await ownerAndTarget(leases, open);
    const before = ownersIn(await leases.nodes());
    same("the assigned shards before", await plan(leases), []);
    const assignment = { shards: [200, 3, MARKET], to: b };
    const assigned = [3, 200, MARKET].map((shard) => [shard, b]);
    for (const call of ["assign", "assign again"]) {
      same(`${call} of three shards`, await other.assign(assignment), 3);
      same(`the assigned shards after ${call}`, await plan(leases), assigned);
    }
    same("owners and epochs after that", ownersIn(await leases.nodes()), before);
    const batch = { shards: [part(3, 2, { records: [sampleRecord(3, 1)] })] };
    same("an append of the owner", await store.append(batch), ["durable"]);
    same("assign to another node", await leases.assign({ shards: [200], to: a }), 1);
    same("withdrawal of two shards", await leases.assign({ shards: [3, 5] }), 2);
    const left = [
      [200, a],
      [MARKET, b],
    ];
    same("the assigned shards after that", await plan(leases), left);
  },

  async "an assignment with `from` holds only for the shards that this node owns"(leases, { open }) {
    const { a, b, other } = await ownerAndTarget(leases, open);
    await other.claim({ incarnation: b, shards: [5] });
    const c = await joined(leases, "c");
    same("assign of shards of three owners", await leases.assign({ shards: [4, 5, 6], to: c, from: a }), 1);
    same("the assigned shards", await plan(leases), [[4, c]]);
    same("withdrawal from another owner", await leases.assign({ shards: [4, 5], from: b }), 1);
    same("the assigned shards after it", await plan(leases), [[4, c]]);
    same("assign of a shard with it", await leases.assign({ shards: [4, 6], to: c, from: b }), 1);
    same("withdrawal from the owner", await leases.assign({ shards: [4], from: a }), 1);
    same("the assigned shards at the end", await plan(leases), []);
  },

  async "nothing is assigned to a node that is dead or gone"(leases, { open }) {
    const { a, b, other } = await ownerAndTarget(leases, open);
    const c = await joined(other, "c");
    await leases.assign({ shards: [1], to: c });
    await leases.assign({ shards: [2], to: b });
    await leases.retire({ incarnation: b, beat: 0 });
    for (const [name, to] of [["dead", b] as const, ["gone", c + 1] as const]) {
      same(`assign to a node that is ${name}`, await leases.assign({ shards: [1, 2, 3], to }), 0);
      same(
        `the shards assigned to ${c} after it`,
        (await plan(leases)).filter(([, to]) => to === c),
        [[1, c]],
      );
    }
    same("assign of the same shards to a live node", await leases.assign({ shards: [1, 2, 3], to: a }), 3);
  },

  async "a claim of a node that did not own a shard ends its assignment; a release and a claim again leave it"(
    leases,
    { store, open },
  ) {
    const { a, b, other } = await ownerAndTarget(leases, open);
    const c = await joined(other, "c");
    await leases.assign({ shards: [1, 2, 3, 4], to: b });
    await leases.claim({ incarnation: a, shards: [4, 1] });
    const all = [1, 2, 3, 4].map((shard) => [shard, b]);
    same("the assigned shards after the owner claimed again", await plan(leases), all);
    await leases.release({ incarnation: a, shards: [1, 2, 3] });
    same("the assigned shards after a release", await plan(leases), all);
    await other.claim({ incarnation: b, shards: [1] });
    await other.claim({ incarnation: c, shards: [2] });
    same("the assigned shards after claims of two nodes", await plan(leases), all.slice(2));
    await other.release({ incarnation: b, shards: [1] });
    same("the assigned shards after a release of the new owner", await plan(leases), all.slice(2));
    await store.acquire();
    same("the assigned shards after an acquire", await plan(leases), []);
  },
});
