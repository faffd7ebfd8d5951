import type { CommitPart, Storage } from "../../src/ports/index.ts";
import { openPostgresStorage } from "../adapters/postgres/places.ts";
import { LossyProxy } from "./proxy.ts";
import { rowsOf, session } from "./session.ts";
import { demand, type Step, type Surroundings, until } from "./steps.ts";

const open = async (place: Surroundings, options: Readonly<{ port?: number; patienceMs?: number }> = {}) =>
  await openPostgresStorage({
    ...{ url: place.server.url(options.port ?? place.server.port), schema: place.schema, connections: 6 },
    ...{ requireDurability: false, answerTimeoutMs: options.patienceMs ?? 20_000 },
  });

const part = (given: Partial<CommitPart>): CommitPart => ({
  conditions: [],
  puts: [],
  deletes: [],
  ...given,
});

/** A transaction of the test, which holds what it has written until `end` is called. */
export async function holder(
  place: Surroundings,
  statements: readonly string[],
): Promise<Readonly<{ end: (how: "COMMIT" | "ROLLBACK") => Promise<void> }>> {
  const client = await session(place.server);
  const inSchema = statements.map((text) => text.replaceAll("managed_orders", place.schema));
  await client.query(["BEGIN", ...inSchema].join("; "));
  return {
    async end(how: "COMMIT" | "ROLLBACK"): Promise<void> {
      await client.query(how);
      await client.end();
    },
  };
}

/** Waits until as many statements wait for a lock. */
export async function line(place: Surroundings, length: number): Promise<void> {
  const client = await session(place.server);
  const waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
  await until(
    `${length} statements in line`,
    async () => (await rowsOf(client, waiting))[0]?.[0] === String(length),
  );
  await client.end();
}

async function expectValues(storage: Storage, wanted: Readonly<Record<string, string | undefined>>) {
  const values = await storage.get(Object.keys(wanted));
  demand(
    Object.values(wanted).every((value, place) => values[place] === value),
    `${Object.keys(wanted).join(", ")}: ${values.join(", ")} instead of ${Object.values(wanted).join(", ")}`,
  );
}

async function closeAll(storages: readonly Storage[]): Promise<void> {
  for (const storage of storages) await storage.close();
}

const sameKey: Step = async (place) => {
  const storages = [await open(place), await open(place)];
  const [first, second] = storages as [Storage, Storage];
  await first.commit([part({ puts: [["head 003", "1"]] })]);
  const held = await holder(place, ["SELECT 1 FROM managed_orders.entry WHERE key = 'head 003' FOR UPDATE"]);
  const commits = storages.map((storage, n) =>
    storage.commit([
      part({ conditions: [["head 003", "1"]], puts: [["head 003", `2 of ${n}`]] }),
      part({ puts: [[`other ${n}`, "kept"]] }),
    ]),
  );
  await line(place, 2);
  await held.end("COMMIT");
  const answers = await Promise.all(commits);
  const winners = answers.flatMap(([isWritten], n) => (isWritten === true ? [n] : []));
  demand(winners.length === 1, `${winners.length} commits were written on one condition`);
  await expectValues(second, { "head 003": `2 of ${winners[0]}`, "other 0": "kept", "other 1": "kept" });
  await closeAll(storages);
};

const appearing: Step = async (place) => {
  const storage = await open(place);
  const held = await holder(place, ["INSERT INTO managed_orders.entry VALUES ('name 1', 0, 'theirs')"]);
  const commit = storage.commit([
    part({
      conditions: [["name 1", undefined]],
      puts: [
        ["name 1", "ours"],
        ["log 003 1", "record"],
      ],
    }),
    part({ puts: [["other", "kept"]] }),
  ]);
  await line(place, 1);
  await held.end("COMMIT");
  const answers = await commit;
  demand(answers[0] === false && answers[1] === true, `a name that appeared was answered with ${answers}`);
  await expectValues(storage, { "name 1": "theirs", "log 003 1": undefined, other: "kept" });
  await storage.close();
};

/** Another transaction adds one key and changes another; whoever waits for the second sees the first too. */
const seenWhole: Step = async (place) => {
  const storage = await open(place);
  await storage.commit([part({ puts: [["changed", "old"]] })]);
  const held = await holder(place, [
    "INSERT INTO managed_orders.entry VALUES ('added', 0, 'new')",
    "UPDATE managed_orders.entry SET value = NULL, replaced = true WHERE key = 'changed'",
    "INSERT INTO managed_orders.entry VALUES ('changed', 1, 'new')",
  ]);
  const commit = storage.commit([
    part({ conditions: [["added", "new"]], puts: [["a", "1"]] }),
    part({ conditions: [["changed", "new"]], puts: [["b", "1"]] }),
  ]);
  await line(place, 1);
  await held.end("COMMIT");
  const answers = await commit;
  demand(answers[0] === answers[1], `half of a transaction was seen: ${answers}`);
  await storage.close();
};

const ROUNDS = 60;

/** Each commit writes what the other demands to be absent, alone or with keys that it deletes or reads from the journal. */
const skew: Step = async (place) => {
  const storages = [await open(place), await open(place)];
  for (let round = 0; round < ROUNDS; round++) {
    const keys = round % 2 === 0 ? [`a ${round}`, `b ${round}`] : [`log a ${round}`, `log b ${round}`];
    const answers = await Promise.all(
      storages.map((storage, n) =>
        storage.commit([
          part({
            conditions: [[keys[1 - n] ?? "", undefined]],
            puts: [[keys[n] ?? "", "here"]],
            deletes: [`gone ${round}`],
          }),
        ]),
      ),
    );
    const written = answers.filter(([isWritten]) => isWritten === true).length;
    demand(written === 1, `${written} of two commits, each on the absence of the other, were written`);
  }
  await closeAll(storages);
  const client = await session(place.server);
  for (const table of ["entry", "log"]) {
    const rows = await rowsOf(
      client,
      `SELECT key FROM "${place.schema}".${table}
        WHERE value IS NULL AND octet_length(key) <= 1000${table === "entry" ? " AND replaced IS NULL" : ""}`,
    );
    demand(rows.length === 0, `${rows.length} rows without a value are left in ${table}`);
  }
  await client.end();
};

/** Commits of the same keys in opposite orders. */
const noDeadlock: Step = async (place) => {
  const client = await session(place.server);
  const count = async (): Promise<string | null | undefined> =>
    (
      await rowsOf(
        client,
        "SELECT d.deadlocks FROM pg_stat_database AS d WHERE d.datname = current_database()",
      )
    )[0]?.[0];
  const before = await count();
  const storages = [await open(place), await open(place), await open(place)];
  const keys = Array.from({ length: 12 }, (_, n) => `key ${n}`);
  await storages[0]?.commit([part({ puts: keys.map((key) => [key, "0"]) })]);
  const fight = async (storage: Storage, n: number): Promise<void> => {
    const own = n % 2 === 0 ? keys : [...keys].reverse();
    for (let round = 1; round <= ROUNDS; round++) {
      const values = await storage.get(own);
      await storage.commit(
        own.map((key, place) => part({ conditions: [[key, values[place]]], puts: [[key, `${n} ${round}`]] })),
      );
    }
  };
  await Promise.all(storages.map(fight));
  // A process of the server tells its numbers when it ends.
  await closeAll(storages);
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  demand((await count()) === before, "commits have waited for each other");
  await client.end();
};

/** An append: it relies on its head and does not change it. */
const APPEND = part({
  conditions: [
    ["head 003", "1 0"],
    ["log 003 1", undefined],
  ],
  puts: [["log 003 1", "record"]],
});

/** A commit whose bytes reach the server after it was rejected. Returns what it has written. */
async function orphaned(place: Surroundings, isFenced: boolean): Promise<string | undefined> {
  const proxy = await LossyProxy.create(place.server.port);
  const storages = [await open(place, { port: proxy.port }), await open(place)];
  const [writer, other] = storages as [Storage, Storage];
  await other.commit([part({ puts: [["head 003", "1 0"]] })]);
  await writer.get(["head 003"]);
  proxy.behaviour.holds = true;
  const outcome = writer.commit([APPEND]).then(String, (error: Error) => error.name);
  await until("the commit on its way", () => proxy.isHolding);
  proxy.cut();
  demand((await outcome) === "UnknownOutcome", `a lost connection was told as ${await outcome}`);
  if (isFenced) {
    const fence = part({ conditions: [["head 003", "1 0"]], puts: [["head 003", "1 9"]] });
    demand((await other.commit([fence]))[0] === true, "the fence was not written");
  }
  proxy.deliver();
  const client = await session(place.server);
  const sessions =
    "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'managed-orders' AND state = 'active'";
  await until("the orphan's bytes", async () => {
    const [record] = await other.get(["log 003 1"]);
    return isFenced ? (await rowsOf(client, sessions))[0]?.[0] === "0" : record !== undefined;
  });
  const [record] = await other.get(["log 003 1"]);
  await client.end();
  await closeAll(storages);
  await proxy.close();
  return record;
}

const orphan: Step = async (place) => {
  demand((await orphaned(place, true)) === undefined, "an orphan was written after its head was changed");
};

const plantedOrphan: Step = async (place) => {
  const record = await orphaned(place, false);
  demand(record === "record", "an orphan that nobody fenced was not written: the step before tests nothing");
};

/** An answer that never comes is waited for until another commit changes its keys. */
const hanging: Step = async (place) => {
  const proxy = await LossyProxy.create(place.server.port);
  const storage = await open(place, { port: proxy.port, patienceMs: 500 });
  await storage.commit([part({ puts: [["head 003", "1 0"]] })]);
  proxy.behaviour.holds = true;
  let isEnded = false;
  const outcome = storage.commit([APPEND]).then(String, (error: Error) => error.name);
  const ended = outcome.then(() => {
    isEnded = true;
  });
  await until("the commit on its way", () => proxy.isHolding);
  proxy.behaviour.holds = false;
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  demand(!isEnded, "a commit was given up that nobody has overtaken");
  const fence = part({ conditions: [["head 003", "1 0"]], puts: [["head 003", "1 9"]] });
  demand((await storage.commit([fence]))[0] === true, "the fence was not written");
  await ended;
  demand((await outcome) === "UnknownOutcome", `a commit that was cut was told as ${await outcome}`);
  await storage.close();
  await proxy.close();
};

/** Commits of a storage of ordered keys that meet on a server. */
export const STORAGE_STEPS: Readonly<Record<string, Step>> = {
  "storage: of two commits on one condition that wait for its row, one is written": sameKey,
  "storage: a key that appears while a commit waits for it is not overwritten": appearing,
  "storage: a commit that has waited sees all of the transaction before it": seenWhole,
  "storage: of two commits, each on the absence of the other's key, one is written": skew,
  "storage: commits of the same keys in any order never wait for each other in a circle": noDeadlock,
  "storage: a rejected commit that arrives after a fence writes nothing": orphan,
  "storage: planted: a rejected commit that nobody fenced is written": plantedOrphan,
  "storage: a commit without an answer is cut after another one has changed its keys": hanging,
};
