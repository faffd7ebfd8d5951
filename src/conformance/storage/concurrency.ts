import type { Storage } from "../../ports/index.ts";
import { holds, same } from "../suite/index.ts";
import { digits, part, type StorageRule, type StorageRules, walk } from "./world.ts";

const SERIAL =
  "Let transactions that touch the same keys run one after the other: isolation level serializable, a lock, or one writer.";

/** Commits at once, on one condition, from handles in turn. Exactly one is written, and all of it. */
async function race(handles: readonly [Storage, ...Storage[]], key: string): Promise<void> {
  const values = Array.from({ length: 6 }, (_, n) => `value ${n}`);
  const answers = await Promise.all(
    values.map((value, n) => {
      const storage = handles[n % handles.length] as Storage;
      const puts = [[key, value] as const, [`${key} too`, value] as const];
      return storage.commit([part({ conditions: [[key, undefined]], puts })]);
    }),
  );
  const written = values.filter((_, n) => answers[n]?.[0] === true);
  holds("commits at once on one condition", written.length === 1, "exactly one true", answers);
  for (const handle of handles)
    same("get of what it wrote", await handle.get([key, `${key} too`]), [written[0], written[0]]);
}

const oneWins: StorageRule = {
  name: "of commits at once with one condition that the first changes, exactly one is written",
  remedy: SERIAL,
  async check({ storage }) {
    for (const key of ["a", "b", "c"]) await race([storage], key);
  },
};

const ATTEMPTS = 1_000;

/** Raises the counter by one and notes it, however many attempts that takes. */
async function increment(storage: Storage, note: string): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const [now] = await storage.get(["counter"]);
    const next = String(Number(now ?? 0) + 1);
    const [isWritten] = await storage.commit([
      part({
        conditions: [["counter", now]],
        puts: [
          ["counter", next],
          [`log ${digits(Number(next), 6)}`, note],
        ],
      }),
    ]);
    if (isWritten === true) return;
  }
  holds("commit on the value that was read", false, `a success in ${ATTEMPTS} attempts`, "none");
}

const WORKERS = 8;
const STEPS = 8;

/** Counts on several handles at once, and checks that no step is lost and each has a place of its own in the order. */
async function count(handles: readonly [Storage, ...Storage[]]): Promise<void> {
  const works = Array.from({ length: WORKERS }, async (_, worker) => {
    const storage = handles[worker % handles.length] as Storage;
    for (let step = 0; step < STEPS; step++) await increment(storage, `${worker} ${step}`);
  });
  await Promise.all(works);
  const total = WORKERS * STEPS;
  const [storage] = handles;
  same("get of the counter", await storage.get(["counter"]), [String(total)]);
  const log = await walk(storage, { from: "log ", before: "log ~", limit: 50 }, total);
  same("number of notes", log.length, total);
  for (let worker = 0; worker < WORKERS; worker++) {
    const own = log.map(([, note]) => note).filter((note) => note.startsWith(`${worker} `));
    same(
      `the notes of worker ${worker} in the order of the counter`,
      own,
      Array.from({ length: STEPS }, (_, step) => `${worker} ${step}`),
    );
  }
}

const order: StorageRule = {
  name: "transactions have one order: a counter that many raise at once by conditions loses no step",
  remedy: SERIAL,
  async check({ storage }) {
    await count([storage]);
  },
};

const together: StorageRule = {
  name: "of commits at once without conditions, the values of one remain, not a mixture",
  remedy: `${SERIAL} Write the puts of one transaction together.`,
  async check({ storage }) {
    const keys = Array.from({ length: 20 }, (_, n) => `key ${n}`);
    // Each in an order of its own, so that writing one by one does not come out even.
    const commits = Array.from({ length: 10 }, (_, n) => {
      const turned = [...keys.slice(n), ...keys.slice(0, n)];
      return storage.commit([part({ puts: turned.map((key) => [key, `value ${n}`]) })]);
    });
    for (const answer of await Promise.all(commits)) same("each commit", answer, [true]);
    const values = new Set(await storage.get(keys));
    holds("get of the 20 keys", values.size === 1 && !values.has(undefined), "one value for all", [
      ...values,
    ]);
  },
};

const seen: StorageRule = {
  name: "get and range see every commit that resolved before the call",
  remedy: "Read from the place to which commits write, not from a replica or a kept answer.",
  async check({ storage }) {
    for (let step = 1; step <= 20; step++) {
      await storage.commit([part({ puts: [["a", String(step)]] })]);
      same(`get after commit ${step}`, await storage.get(["a"]), [String(step)]);
      same(`range after commit ${step}`, await storage.range([{ from: "a", before: "b", limit: 1 }]), [
        [["a", String(step)]],
      ]);
    }
  },
};

const acrossHandles: StorageRule = {
  name: "the same holds for several handles on one place",
  remedy: `${SERIAL} What is kept in the memory of a process says nothing about the commits of others.`,
  where: { shared: true },
  async check({ storage, open }) {
    const other = await open();
    await storage.commit([part({ puts: [["seen", "1"]] })]);
    same("get of another handle after a commit", await other.get(["seen"]), ["1"]);
    await other.commit([part({ puts: [["seen", "2"]] })]);
    same("get after a commit of another handle", await storage.get(["seen"]), ["2"]);
    for (const key of ["a", "b", "c"]) await race([storage, other], key);
    await count([storage, other]);
  },
};

const STEP_MS = 60_000;

const clock: StorageRule = {
  name: "the clock of a storage tells whole milliseconds and is the same for all handles",
  remedy: "Ask the database for its time, and round it down to milliseconds.",
  where: { shared: true },
  async check({ storage, open }) {
    const other = await open();
    const times: number[] = [];
    for (const handle of [storage, other, storage]) {
      holds("clock", handle.clock !== undefined, "a function", handle.clock);
      const time = await handle.clock?.();
      const nowMs = time?.nowMs;
      holds("clock", Number.isSafeInteger(nowMs), "`nowMs` in whole milliseconds", time);
      const elsewhere: unknown = time?.elsewhere;
      holds(
        "clock",
        elsewhere === undefined || typeof elsewhere === "boolean",
        "`elsewhere` true or false",
        time,
      );
      times.push(Number(nowMs));
    }
    const apart = Math.max(...times) - Math.min(...times);
    holds("clock of two handles in turn", apart < STEP_MS, "times within a minute", times);
  },
};

const noClock: StorageRule = {
  name: "a storage that is not shared has no clock",
  remedy: "Declare `shared: true`, so that the rules of several handles are checked, or leave `clock` out.",
  where: { shared: false },
  async check({ storage }) {
    holds("clock", storage.clock === undefined, "undefined", storage.clock);
  },
};

/** Rules of transactions at once. */
export const concurrency: StorageRules = {
  name: "transactions at once",
  rules: [oneWins, order, together, seen, acrossHandles, clock, noClock],
};
