import type { Entry } from "../../ports/index.ts";
import { refused, same } from "../suite/index.ts";
import {
  digits,
  EVERYTHING,
  part,
  rangeOf,
  type StorageRule,
  type StorageRules,
  walk,
  write,
} from "./world.ts";

const durable: StorageRule = {
  name: "a commit is durable when it resolves: the next handle finds its puts, replaced values and deletes",
  remedy: "Resolve after the disk has confirmed the transaction, or declare `durable: false`.",
  where: { durable: true },
  async check({ storage, open, close }) {
    const entries = Array.from({ length: 700 }, (_, n): Entry => [`key ${digits(n, 4)}`, `value ${n} é`]);
    await write(storage, entries);
    const parts = [
      part({ puts: [["key 0001", "replaced"]], deletes: ["key 0002"] }),
      part({ conditions: [["key 0003", "other"]], deletes: ["key 0003"] }),
    ];
    same("commit", await storage.commit(parts), [true, false]);
    await write(storage, [["last", ""]]);
    await close(storage);
    const next = await open();
    const stored = entries.filter(([key]) => key !== "key 0002");
    const wanted = stored.map(([key, value]): Entry => [key, key === "key 0001" ? "replaced" : value]);
    same("all entries of the next handle", await walk(next, EVERYTHING, 701), [...wanted, ["last", ""]]);
    const again = [part({ conditions: [["last", ""]], puts: [["last", "2"]] })];
    same("commit of the next handle on a condition", await next.commit(again), [true]);
    await close(next);
    same("get of the handle after it", await (await open()).get(["last", "key 0002"]), ["2", undefined]);
  },
};

const underWay: StorageRule = {
  name: "what a commit that was under way when the handle was closed has answered is true for the next handle",
  remedy: "Let `close` wait for the commits that were called before it, or reject those.",
  where: { durable: true },
  async check({ storage, open, close }) {
    const commits = Array.from({ length: 5 }, (_, n) => {
      const puts: readonly Entry[] = [[`key ${n}`, "1"]];
      return storage.commit([part({ puts })]).then(
        ([isWritten]) => (isWritten === true ? puts : []),
        () => [],
      );
    });
    await close(storage);
    const answered = (await Promise.all(commits)).flat();
    const found = await rangeOf(await open(), EVERYTHING);
    same(
      "those of the next handle that a commit answered with true",
      found.filter(([key]) => answered.some(([other]) => other === key)),
      answered,
    );
  },
};

const forgotten: StorageRule = {
  name: "a storage that is not durable begins empty",
  remedy: "Declare `durable: true`, so that the rules of durability are checked, or keep nothing.",
  where: { durable: false },
  async check({ storage, open, close }) {
    await write(storage, [["a", "1"]]);
    await close(storage);
    same("all entries of the next handle", await rangeOf(await open(), EVERYTHING), []);
  },
};

const apart: StorageRule = {
  name: "two places share no key",
  remedy: "Keep the keys of a place in its own file, table or object.",
  async check({ storage, elsewhere }) {
    const other = await elsewhere();
    await write(storage, [["a", "1"]]);
    same("get in another place", await other.get(["a"]), [undefined]);
    same("commit there", await other.commit([part({ conditions: [["a", undefined]], puts: [["a", "2"]] })]), [
      true,
    ]);
    same("get here after it", await storage.get(["a"]), ["1"]);
  },
};

const closed: StorageRule = {
  name: "every call after close is refused, and writes nothing",
  remedy: "Note that the handle is closed, and reject with an Error.",
  async check({ storage, close }) {
    await write(storage, [["a", "1"]]);
    await close(storage);
    await refused("commit after close", () => storage.commit([part({ puts: [["a", "2"]] })]));
    await refused("get after close", () => storage.get(["a"]));
    await refused("range after close", () => storage.range([EVERYTHING]));
    const { clock } = storage;
    if (clock !== undefined) await refused("clock after close", () => storage.clock?.());
  },
};

/** Rules of opening and closing. */
export const lifetime: StorageRules = {
  name: "opening and closing",
  rules: [durable, underWay, forgotten, apart, closed],
};
