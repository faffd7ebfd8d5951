import type { ClusterView, OrderStore, ShardLeases, ShardSet } from "../../../src/ports/index.ts";
import { type PlantedStore, planted, type StoreFault } from "./faulty-place.ts";

const EVERY_SHARD = Array.from({ length: 257 }, (_, shard) => shard);

/** Changes the leases of every handle. */
export const withLeases =
  (change: (leases: ShardLeases, store: OrderStore) => Partial<ShardLeases>): StoreFault =>
  () =>
  (store) => {
    const { leases } = store;
    return leases === undefined ? {} : { leases: { ...leases, ...change(leases, store) } };
  };

/** Changes every view. */
export const withView = (change: (view: ClusterView) => ClusterView): StoreFault =>
  withLeases((leases) => ({ nodes: async () => change(await leases.nodes()) }));

const rowFaults = [
  planted("leases are missing and declared as present", ["a store with leases has all"], () => () => ({
    leases: undefined as never,
  })),
  planted("leases are there and declared as absent", ["a store without leases"], () => () => ({}), {
    leases: false,
  }),
  planted(
    "texts of a node are cut to their length",
    ["a store with leases has all"],
    withLeases((leases) => ({
      join: (entry) => leases.join({ ...entry, name: entry.name.slice(0, 200), version: "" }),
    })),
  ),
  planted(
    "an incarnation is the number of rows",
    ["an incarnation above all earlier ones"],
    withLeases((leases) => ({
      async join(entry) {
        const { clockMs } = await leases.join(entry);
        return { incarnation: (await leases.nodes()).nodes.length, clockMs };
      },
    })),
  ),
  planted(
    "a node joins with a ttl of its own",
    ["the row of a node has the ttl"],
    withLeases((leases) => ({ join: (entry) => leases.join({ ...entry, ttlMs: 10_000 }) })),
  ),
  planted(
    "a renewal sets no state",
    ["a renewal raises the beat by one"],
    withLeases((leases) => ({
      renew: ({ incarnation }) => leases.renew({ incarnation, state: "following" }),
    })),
  ),
  planted(
    "a renewal answers with no time",
    ["a renewal raises the beat by one"],
    withLeases((leases) => ({ renew: async (node) => ({ ...(await leases.renew(node)), clockMs: 0 }) })),
  ),
  planted(
    "a node is declared dead whatever its beat",
    ["a node is declared dead only if its beat"],
    withLeases((leases) => ({
      async retire(watched) {
        const row = (await leases.nodes()).nodes.find(
          ({ incarnation }) => incarnation === watched.incarnation,
        );
        return await leases.retire({ ...watched, beat: row?.beat ?? 0 });
      },
    })),
  ),
  planted(
    "a renewal of a dead node counts as one",
    ["a node is declared dead only if its beat"],
    withLeases((leases) => ({ renew: async (node) => ({ ...(await leases.renew(node)), alive: true }) })),
  ),
  planted(
    "a renewal does not answer what is wanted",
    ["what is wanted of a live node"],
    withLeases((leases) => ({
      async renew(node) {
        const { alive, clockMs } = await leases.renew(node);
        return { alive, clockMs };
      },
    })),
  ),
  planted(
    "anything can be wanted of a dead node",
    ["what is wanted of a live node"],
    withLeases((leases) => ({
      async want(wish) {
        await leases.want(wish);
        return true;
      },
    })),
  ),
  planted(
    "a renewal that does not say how far the node has read sets it back",
    ["a renewal says how far the node has read"],
    withLeases((leases) => ({ renew: (node) => leases.renew({ followed: 0, ...node }) })),
  ),
  planted("rows of dead nodes stay", ["rows of dead nodes are bounded"], () => {
    const dead = new Map<number, ClusterView["nodes"][number]>();
    return ({ leases }) => {
      if (leases === undefined) return {};
      const nodes = async (): Promise<ClusterView> => {
        const view = await leases.nodes();
        for (const row of view.nodes) if (row.dead) dead.set(row.incarnation, row);
        const rows = new Map([...dead, ...view.nodes.map((row) => [row.incarnation, row] as const)]);
        return { ...view, nodes: [...rows.values()].sort((a, b) => a.incarnation - b.incarnation) };
      };
      const bury: ShardLeases["retire"] = async (watched) => {
        const isDead = await leases.retire(watched);
        await nodes();
        return isDead;
      };
      return { leases: { ...leases, nodes, retire: bury } };
    };
  }),
  planted(
    "the row of a node that left stays",
    ["a node that leaves has no row"],
    withLeases((leases) => ({
      leave: async (incarnation) => void (await leases.retire({ incarnation, beat: 0 })),
    })),
  ),
];

const ownerFaults = [
  planted(
    "a claim raises no epoch in the answer",
    ["a claim takes every shard of nobody", "leaves an owner its epochs and rounds"],
    withLeases((leases) => ({
      claim: async (set) => (await leases.claim(set))?.map((head) => ({ ...head, epoch: head.epoch - 1 })),
    })),
  ),
  planted(
    "a claim takes the shards of a live node",
    ["a claim takes nothing from a live node", "of claims at the same time one takes every shard"],
    withLeases((leases, store) => ({
      async claim(set) {
        const heads = await leases.claim(set);
        return heads ?? (await Promise.all(Array.from({ length: 256 }, (_, shard) => store.head(shard))));
      },
    })),
  ),
  planted(
    "a claim of an owner raises its epochs",
    ["leaves an owner its epochs and rounds"],
    withLeases((leases) => ({
      async claim(set) {
        await leases.release(set);
        return await leases.claim(set);
      },
    })),
  ),
  planted(
    "a claim of an owner is refused",
    ["leaves an owner its epochs and rounds"],
    withLeases((leases) => ({
      async claim(set) {
        const { shards } = await leases.nodes();
        const isOwn = shards[0]?.incarnation === set.incarnation && set.shards.includes(0);
        return isOwn ? undefined : await leases.claim(set);
      },
    })),
  ),
  planted(
    "a claim is no owner of the market journal",
    ["the handle that claims owns the market journal"],
    () => {
      let first: OrderStore | undefined;
      return (store) => {
        first ??= store;
        const { leases } = store;
        return {
          ...(leases && {
            leases: { ...leases, claim: async (set: ShardSet) => await first?.leases?.claim(set) },
          }),
        };
      };
    },
  ),
  planted(
    "a release does nothing",
    ["a node that releases its shards"],
    withLeases(() => ({ release: async () => {} })),
  ),
  planted("acquire leaves the owners", ["acquire takes the shards from every node"], () => {
    let owner: number | undefined;
    return ({ leases }) => {
      if (leases === undefined) return {};
      const claim: ShardLeases["claim"] = async (set) => {
        owner = set.incarnation;
        return await leases.claim(set);
      };
      const nodes = async (): Promise<ClusterView> => {
        const { nodes: rows, shards } = await leases.nodes();
        return {
          nodes: rows,
          shards: shards.map((shard) => ({ ...shard, ...(owner && { incarnation: owner }) })),
        };
      };
      return { leases: { ...leases, claim, nodes } };
    };
  }),
  planted(
    "a view has no owners",
    ["a claim takes every shard of nobody"],
    withView(({ nodes, shards }) => ({
      nodes,
      shards: shards.map(({ shard, epoch }) => ({ shard, epoch })),
    })),
  ),
];

const setFaults = [
  planted(
    "a set takes what it names wrongly as nothing",
    ["a set of shards that is empty"],
    withLeases((leases) => ({
      claim: ({ incarnation, shards }) =>
        leases.claim({ incarnation, shards: shards.filter((shard) => Number.isInteger(shard)) }),
    })),
  ),
  planted(
    "a claim takes every shard, whatever its set",
    ["a claim takes the shards of its set and no others", "claims of different sets at the same time"],
    withLeases((leases) => ({
      claim: ({ incarnation }) => leases.claim({ incarnation, shards: EVERY_SHARD }),
    })),
  ),
  planted(
    "a claim takes the free shards of its set",
    ["a claim takes the whole set or nothing"],
    withLeases((leases) => ({
      async claim({ incarnation, shards }) {
        const owners = (await leases.nodes()).shards;
        const free = shards.filter((shard) =>
          [undefined, incarnation].includes(owners.find((one) => one.shard === shard)?.incarnation),
        );
        return free.length === 0 ? undefined : await leases.claim({ incarnation, shards: free });
      },
    })),
  ),
  planted(
    "a claim of the market journal is left out",
    ["a claim takes the shards of its set and no others", "the market journal has an owner of its own"],
    withLeases((leases) => ({
      async claim({ incarnation, shards }) {
        const accounts = shards.filter((shard) => shard !== 256);
        return accounts.length === 0 ? [] : await leases.claim({ incarnation, shards: accounts });
      },
    })),
  ),
  planted(
    "a claim of any shard takes the market journal too",
    ["the market journal has an owner of its own"],
    () => (store) => ({
      append: async (batch) => {
        const { leases } = store;
        const { incarnation } = (await leases?.nodes())?.nodes.at(0) ?? { incarnation: 0 };
        if ((batch.quotes?.length ?? 0) > 0) {
          await leases?.release({ incarnation: incarnation + 1, shards: [256] });
          await leases?.claim({ incarnation, shards: [256] });
        }
        return await store.append(batch);
      },
    }),
  ),
  planted(
    "a release frees every shard of the node",
    ["a node that releases some of its shards"],
    withLeases((leases) => ({
      release: ({ incarnation }) => leases.release({ incarnation, shards: EVERY_SHARD }),
    })),
  ),
  planted(
    "a release frees shards of other nodes",
    ["a node that releases some of its shards"],
    withLeases((leases) => ({
      async release({ incarnation, shards }) {
        for (const row of (await leases.nodes()).nodes)
          await leases.release({ incarnation: row.incarnation, shards });
        await leases.release({ incarnation, shards });
      },
    })),
  ),
  planted(
    "a release frees a shard in any epoch",
    ["a release that names epochs"],
    withLeases((leases) => ({
      release: ({ incarnation, shards }) => leases.release({ incarnation, shards }),
    })),
  ),
  planted("marks are deleted by any handle", ["marks and ended orders of a shard"], () => {
    const handles: OrderStore[] = [];
    return (store) => {
      handles.push(store);
      return {
        deleteMarks: async (marks) => {
          for (const handle of handles) await handle.deleteMarks(marks);
        },
      };
    };
  }),
];

const tailFaults = [
  planted(
    "the heads leave out shards without records",
    ["the heads of all shards are those that `head` returns"],
    withLeases((leases) => ({
      heads: async () => (await leases.heads()).filter(({ sequence }) => sequence > 0),
    })),
  ),
  planted(
    "a tail has the records of one shard",
    ["the tail has the records of all shards"],
    withLeases((leases) => ({
      async tail(range) {
        const records = await leases.tail(range);
        return records.filter(({ shard }) => shard === records[0]?.shard);
      },
    })),
  ),
  planted(
    "the limit of a tail holds for each shard",
    ["a tail has at most `limit` records"],
    withLeases((_, store) => ({
      async tail({ after, limit }) {
        const pages = after.map((known, shard) => store.readRecords({ shard, after: known, limit }));
        return limit < 1 ? [] : (await Promise.all(pages)).flat();
      },
    })),
  ),
  planted(
    "a tail is of the moment at which it was first asked",
    ["a tail shows what another handle has appended"],
    withLeases((leases) => {
      let first: Awaited<ReturnType<ShardLeases["tail"]>> | undefined;
      return {
        async tail(range) {
          first ??= await leases.tail(range);
          return first;
        },
      };
    }),
  ),
  planted(
    "a closed store has an empty tail",
    ["leases of a closed store answer with an error"],
    () => (store) => {
      const { leases } = store;
      let isClosed = false;
      return {
        ...(leases && {
          leases: {
            ...leases,
            tail: async (range: Parameters<ShardLeases["tail"]>[0]) =>
              isClosed ? [] : await leases.tail(range),
          },
        }),
        async close() {
          isClosed = true;
          await store.close();
        },
      };
    },
  ),
];

/** Memory stores with one fault each in their leases. */
export const leaseFaults: readonly PlantedStore[] = [
  ...rowFaults,
  ...ownerFaults,
  ...setFaults,
  ...tailFaults,
];
