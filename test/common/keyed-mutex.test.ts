import { describe, expect, it } from "vitest";
import { KeyedMutex } from "../../src/common/index.ts";
import { turns } from "../support/faulty-world.ts";

/** Creates tasks that report when they begin and end on request of the test. */
function tasks() {
  const mutex = new KeyedMutex();
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const hold = (name: string, keys: readonly string[]): Promise<string> =>
    mutex.runExclusive(keys, () => {
      begun.push(name);
      return new Promise((resolve, reject) =>
        ends.set(name, (error) => (error === undefined ? resolve(name) : reject(error))),
      );
    });
  const end = async (name: string, error?: Error): Promise<void> => {
    ends.get(name)?.(error);
    await turns();
  };
  return { begun, hold, end };
}

describe("tasks that need the same keys", () => {
  it("begin in order of arrival, each when the previous one has ended", async () => {
    const { begun, hold, end } = tasks();
    const held = ["1", "2", "3"].map((name) => hold(name, ["x"]));
    for (const name of ["1", "2", "3"]) {
      expect(begun.at(-1)).toBe(name);
      await end(name);
    }
    expect(await Promise.all(held)).toEqual(["1", "2", "3"]);
  });

  it("begin at once if none of their keys is in use", async () => {
    const { begun, hold } = tasks();
    void hold("1", ["x"]);
    void hold("2", ["y"]);
    expect(begun).toEqual(["1", "2"]);
  });

  it("are not overtaken: a task that waits for one key comes before later tasks that need its other keys", async () => {
    const { begun, hold, end } = tasks();
    void hold("single", ["x"]);
    void hold("list", ["x", "y", "x"]);
    void hold("later", ["y"]);
    void hold("last", ["x", "y"]);
    await turns();
    expect(begun).toEqual(["single"]);
    await end("single");
    expect(begun).toEqual(["single", "list"]);
    await end("list");
    expect(begun).toEqual(["single", "list", "later"]);
    await end("later");
    expect(begun).toEqual(["single", "list", "later", "last"]);
  });

  it("continue after a task fails; only its caller sees the failure", async () => {
    const { begun, hold, end } = tasks();
    const failing = hold("1", ["x"]);
    void hold("2", ["x"]);
    const failed = expect(failing).rejects.toThrow("no");
    await end("1", new Error("no"));
    await failed;
    expect(begun).toEqual(["1", "2"]);
  });
});
