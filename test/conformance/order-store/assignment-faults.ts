import type { ShardOwner } from "../../../src/ports/index.ts";
import { type PlantedStore, planted, type StoreFault } from "./faulty-place.ts";
import { withLeases, withView } from "./lease-faults.ts";

/** Changes the assignment of each shard in every view. */
const withPlan = (change: (next: number, owner: ShardOwner) => number | undefined): StoreFault =>
  withView((view) => ({
    ...view,
    shards: view.shards.map(({ next, ...owner }) => {
      const seen = next === undefined ? undefined : change(next, owner);
      return { ...owner, ...(seen !== undefined && { next: seen }) };
    }),
  }));

/** Memory stores with one fault each in what is assigned, and in which nodes share. */
export const assignmentFaults: readonly PlantedStore[] = [
  planted(
    "every node shares",
    ["the row of a node says whether the node shares"],
    withLeases((leases) => ({ join: (entry) => leases.join({ ...entry, shares: true }) })),
  ),
  planted(
    "a node that shares does not say so",
    ["the row of a node says whether the node shares"],
    withLeases((leases) => ({ join: ({ shares: _shares, ...entry }) => leases.join(entry) })),
  ),
  planted(
    "an assignment of a wrong set is one of nothing",
    ["a set of shards that is empty"],
    withLeases((leases) => ({
      assign: async (assignment) => await leases.assign(assignment).catch(() => 0),
    })),
  ),
  planted(
    "an assignment is not shown",
    ["an assignment is in the rows of its shards"],
    withPlan(() => undefined),
  ),
  planted(
    "an assignment of the market journal is not shown",
    ["an assignment is in the rows of its shards"],
    withPlan((next, { shard }) => (shard === 256 ? undefined : next)),
  ),
  planted(
    "an assignment answers with the number of shards that it changed",
    ["an assignment is in the rows of its shards"],
    withLeases((leases) => ({
      async assign(assignment) {
        const { shards } = await leases.nodes();
        const unchanged = assignment.shards.filter((shard) => shards[shard]?.next === assignment.to);
        return (await leases.assign(assignment)) - unchanged.length;
      },
    })),
  ),
  planted(
    "an assigned shard is taken from its owner",
    ["an assignment is in the rows of its shards"],
    withLeases((leases) => ({
      async assign(assignment) {
        const { shards } = await leases.nodes();
        for (const shard of assignment.shards) {
          const { incarnation } = shards[shard] ?? {};
          if (incarnation !== undefined) await leases.release({ incarnation, shards: [shard] });
        }
        return await leases.assign(assignment);
      },
    })),
  ),
  planted(
    "an assignment cannot be withdrawn",
    ["an assignment is in the rows of its shards"],
    withLeases((leases) => ({
      assign: async (assignment) =>
        assignment.to === undefined ? assignment.shards.length : await leases.assign(assignment),
    })),
  ),
  planted(
    "an assignment holds whoever owns the shards",
    ["an assignment with `from`"],
    withLeases((leases) => ({ assign: ({ from: _from, ...assignment }) => leases.assign(assignment) })),
  ),
  planted(
    "an assignment to a dead node replaces the one before",
    ["nothing is assigned to a node that is dead"],
    withLeases((leases) => ({
      async assign(assignment) {
        const assigned = await leases.assign(assignment);
        if (assigned === 0) await leases.assign({ shards: assignment.shards });
        return assigned;
      },
    })),
  ),
  planted(
    "an assignment to a node that has died since counts",
    ["nothing is assigned to a node that is dead"],
    withLeases((leases) => ({
      async assign(assignment) {
        const assigned = await leases.assign(assignment);
        const { shards } = await leases.nodes();
        const same = assignment.shards.filter((shard) => shards[shard]?.next === assignment.to);
        return Math.max(assigned, same.length);
      },
    })),
  ),
  planted(
    "only a claim of the node that should have the shard ends its assignment",
    ["a claim of a node that did not own a shard"],
    withLeases((leases) => ({
      async claim(set) {
        const { shards } = await leases.nodes();
        const heads = await leases.claim(set);
        for (const shard of set.shards) {
          const { next } = shards[shard] ?? {};
          if (next !== undefined && next !== set.incarnation)
            await leases.assign({ shards: [shard], to: next });
        }
        return heads;
      },
    })),
  ),
  planted(
    "a claim again ends the assignment",
    ["a claim of a node that did not own a shard"],
    withLeases((leases) => ({
      async claim(set) {
        const heads = await leases.claim(set);
        await leases.assign({ shards: set.shards });
        return heads;
      },
    })),
  ),
  planted(
    "a release ends the assignment",
    ["a claim of a node that did not own a shard"],
    withPlan((next, { incarnation }) => (incarnation === undefined ? undefined : next)),
  ),
  planted(
    "acquire leaves the assignments",
    ["a claim of a node that did not own a shard"],
    () => (store) => ({
      async acquire() {
        const { leases } = store;
        const before = (await leases?.nodes())?.shards ?? [];
        const heads = await store.acquire();
        for (const { shard, next: to } of before)
          if (to !== undefined) await leases?.assign({ shards: [shard], to });
        return heads;
      },
    }),
  ),
];
