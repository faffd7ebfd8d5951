import { openPostgresStore } from "../../src/adapters/postgres/index.ts";
import type { NodeEntry } from "../../src/ports/index.ts";
import { openOrder, part, samplePrint, sampleRecords } from "../store/rules/samples.ts";
import { open } from "./faults.ts";
import { rowsOf, session } from "./session.ts";
import { demand, type Step } from "./steps.ts";
import { holder, line } from "./storage-races.ts";

const holding = (key: string): readonly string[] => [
  `SELECT 1 FROM managed_orders.entry WHERE key = '${key}' AND value IS NOT NULL FOR UPDATE`,
];

const ROUNDS = 30;

/** Snapshots of one shard, each of many parts, that two stores write at once. */
const snapshots: Step = async (place) => {
  const stores = [await open(place), await open(place)];
  const [first] = stores;
  demand(first !== undefined, "no store");
  await first.acquire();
  await first.append({ shards: [part(0, 1, { records: sampleRecords(0, 1, 2 * ROUNDS) })] });
  const parents = Array.from({ length: 300 }, (_, n) => openOrder({ orderId: -256 * (n + 1) }));
  for (let round = 0; round < ROUNDS; round++) {
    const sequences = [2 * round + 1, 2 * round + 2];
    if (round % 2 === 0) sequences.reverse();
    await Promise.all(
      stores.map((store, n) =>
        store.writeSnapshot({ shard: 0, sequence: sequences[n] ?? 0, counter: 1, parents }),
      ),
    );
    const read = await first.readSnapshot(0);
    demand(
      (read?.sequence ?? 0) >= 2 * round + 1 && read?.parents.length === 300,
      `snapshot ${read?.sequence} with ${read?.parents.length} parents was read in round ${round}`,
    );
  }
  await first.writeSnapshot({ shard: 0, sequence: 2 * ROUNDS, counter: 1, parents });
  const client = await session(place.server);
  const stored = await rowsOf(client, `SELECT count(*) FROM "${place.schema}".entry WHERE key LIKE 'snap %'`);
  demand(stored[0]?.[0] === "3", `${stored[0]?.[0]} parts are stored`);
  await client.end();
  for (const store of stores) await store.close();
};

const entry = (name: string): NodeEntry => ({
  ...{ name, address: "", version: "", format: 1, kinds: [], ttlMs: 10_000 },
});

/** A claim whose commit is late, as one that waits for a standby server, while its node leaves. */
const claimedByNobody: Step = async (place) => {
  const stores = [await open(place), await open(place)];
  const [store, other] = stores;
  demand(store !== undefined && other !== undefined, "no store");
  await store.acquire();
  const survivor = await store.leases.join(entry("old"));
  const newest = await store.leases.join(entry("new"));
  const held = await holder(place, holding("head 003"));
  const late = store.leases.claim({ incarnation: newest.incarnation, shards: [3] });
  await line(place, 1);
  const left = other.leases.leave(newest.incarnation);
  await line(place, 2);
  await held.end("COMMIT");
  await Promise.all([late, left]);
  const claimed = await other.leases.claim({ incarnation: survivor.incarnation, shards: [3] });
  demand(claimed?.length === 1, "the shard of a node that has left was not claimed");
  for (const one of stores) await one.close();
};

/** While a claim waits for a shard, a node joins and claims another one of its shards. */
const claimedMeanwhile: Step = async (place) => {
  const stores = [await open(place), await open(place)];
  const [store, other] = stores;
  demand(store !== undefined && other !== undefined, "no store");
  await store.acquire();
  const early = await store.leases.join(entry("early"));
  const held = await holder(place, holding("head 000"));
  const claiming = store.leases.claim({ incarnation: early.incarnation, shards: [0, 1] });
  await line(place, 1);
  const joining = other.leases.join(entry("late"));
  await line(place, 2);
  const taking = joining.then(
    async ({ incarnation }) => await other.leases.claim({ incarnation, shards: [1] }),
  );
  await held.end("COMMIT");
  const claims = await Promise.all([claiming, taking]);
  demand(
    claims.filter((claimed) => claimed !== undefined).length === 1,
    "a shard was taken from a node that lives",
  );
  const { shards } = await store.leases.nodes();
  const owner = claims[0] === undefined ? (await joining).incarnation : early.incarnation;
  demand(shards[1]?.incarnation === owner, "the shard of a node that lives has another owner");
  for (const one of stores) await one.close();
};

/** Old volume is deleted while an append of the owner of the market journal waits for another shard. */
const overtaken: Step = async (place) => {
  const options = { url: place.server.url(), schema: place.schema, requireDurability: false };
  const store = await openPostgresStore({ ...options, answerTimeoutMs: 300 });
  await store.acquire();
  const held = await holder(place, holding("head 000"));
  const shards = [part(0, 1, { records: sampleRecords(0, 1, 1) })];
  const appending = store.append({ shards, prints: [samplePrint()] });
  await line(place, 1);
  await store.deleteVolume({ beforeMs: 0 });
  await held.end("COMMIT");
  const [outcome] = await appending;
  const { prints } = await store.readVolume();
  demand(outcome === "durable" && prints.length === 1, `${outcome}, and ${prints.length} prints are stored`);
  await store.close();
};

/** Calls of a store that wait for a lock while others change what they have seen. */
export const RACE_STEPS: Readonly<Record<string, Step>> = {
  "I53: of snapshots of a shard that are written at once the newest stays, whole and alone": snapshots,
  "shards of a node whose claim became durable while it left can be claimed": claimedByNobody,
  "a claim takes no shard from a node that joined meanwhile": claimedMeanwhile,
  "I60: prints of an append that is durable are stored, also if old ones were deleted meanwhile": overtaken,
};
