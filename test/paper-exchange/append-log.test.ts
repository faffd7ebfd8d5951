import { describe, expect, it } from "vitest";
import {
  type Compaction,
  createFileLog,
  type LogFile,
  type LogPlace,
} from "../../src/paper-exchange/append-log.ts";

const done = async (): Promise<void> => undefined;

/** A path whose file is never replaced. */
const PLACE: LogPlace = {
  begin: () => Promise.reject(new Error("no")),
  replace: done,
  settle: done,
  discard: done,
};

/** A file in memory on a disk that is full on request; the part that fitted before stays, as on a real disk. */
function fullableFile(): LogFile & { isFull: boolean; readonly text: () => string } {
  let bytes = Buffer.from("old\n");
  const file = {
    isFull: false,
    text: () => bytes.toString("utf8"),
    appendFile: async (more: Buffer) => {
      bytes = Buffer.concat([bytes, file.isFull ? more.subarray(0, more.length / 2) : more]);
      if (file.isFull) throw Object.assign(new Error("full"), { code: "ENOSPC" });
    },
    truncate: async (length: number) => {
      bytes = bytes.subarray(0, length);
    },
    datasync: async () => undefined,
    close: async () => undefined,
  };
  return file as unknown as LogFile & { isFull: boolean; readonly text: () => string };
}

it("data that a full disk refused is written by the next attempt, once, whole and in order", async () => {
  const file = fullableFile();
  const log = createFileLog(file, 4, PLACE);
  const stored: string[] = [];
  const append = (line: string): Promise<void> => log.append(line, () => void stored.push(line));
  await append("one");
  file.isFull = true;
  await expect(append("two")).rejects.toThrow("full");
  await expect(append("three")).rejects.toThrow("full");
  await expect(log.durable()).rejects.toThrow("full");
  expect([log.isFailing, stored]).toEqual([true, ["one"]]);
  file.isFull = false;
  await append("four");
  expect(file.text()).toBe("old\none\ntwo\nthree\nfour\n");
  expect([log.isFailing, stored]).toEqual([false, ["one", "two", "three", "four"]]);
  await log.close();
});

it("every request for durability makes an attempt; a close makes the last one", async () => {
  const file = fullableFile();
  const log = createFileLog(file, 4, PLACE);
  file.isFull = true;
  await expect(log.append("one")).rejects.toThrow("full");
  file.isFull = false;
  await log.durable();
  expect(file.text()).toBe("old\none\n");
  file.isFull = true;
  await expect(log.append("two")).rejects.toThrow("full");
  file.isFull = false;
  await log.close();
  expect(file.text()).toBe("old\none\ntwo\n");
});

/** A file of whole lines in memory, which fails at a given step. */
function memoryFile(text: string, failing: () => void = () => undefined) {
  let bytes = Buffer.from(text);
  const file = {
    text: () => bytes.toString("utf8"),
    appendFile: async (more: Buffer) => {
      failing();
      bytes = Buffer.concat([bytes, more]);
    },
    truncate: async (length: number) => {
      bytes = bytes.subarray(0, length);
    },
    datasync: async () => failing(),
    close: done,
    read: async (buffer: Buffer, offset: number, length: number, position: number) => {
      const bytesRead = bytes.copy(buffer, offset, position, position + length);
      return { bytesRead, buffer };
    },
  };
  return file as unknown as LogFile & { readonly text: () => string };
}

const COMPACTION: Compaction = {
  line: (text) => (text.startsWith("drop") ? [] : [text]),
  end: () => ["end"],
};

describe("a log is rewritten in a second file", () => {
  it("without the removed lines, with lines appended meanwhile, and continues in the new file", async () => {
    const [old, fresh] = [memoryFile("drop 1\nkeep\ndrop 2\n"), memoryFile("")];
    const answer: string[] = [];
    const place: LogPlace = {
      begin: async () => fresh,
      replace: async () => void answer.push(`replace ${fresh.text()}`),
      settle: async () => void answer.push("settle"),
      discard: done,
    };
    const log = createFileLog(old, old.text().length, place);
    const compacted = log.compact(COMPACTION);
    await log.append("meanwhile");
    await compacted;
    await log.append("after");
    expect(answer).toEqual(["replace keep\nend\nmeanwhile\n", "settle"]);
    expect(fresh.text()).toBe("keep\nend\nmeanwhile\nafter\n");
    expect(old.text()).toBe("drop 1\nkeep\ndrop 2\nmeanwhile\n");
  });

  it.each([0, 1, 2, 3])("a disk that fails at step %i leaves the log unchanged", async (step) => {
    let steps = 0;
    const fail = (): void => {
      if (steps++ === step) throw new Error("full");
    };
    const [old, fresh] = [memoryFile("drop\nkeep\n"), memoryFile("", fail)];
    let discarded = 0;
    const place: LogPlace = {
      begin: async () => fresh,
      replace: async () => fail(),
      settle: done,
      discard: async () => void discarded++,
    };
    const log = createFileLog(old, old.text().length, place);
    await expect(log.compact(COMPACTION)).rejects.toThrow("full");
    await log.append("after");
    expect([old.text(), discarded]).toEqual(["drop\nkeep\nafter\n", 1]);
  });

  it("nothing is durable in the new file before its replacement of the old one is durable", async () => {
    const [old, fresh] = [memoryFile("drop\nkeep\n"), memoryFile("")];
    let isBroken = true;
    const settle = async (): Promise<void> => {
      if (isBroken) throw new Error("no folder");
    };
    const place: LogPlace = { begin: async () => fresh, replace: done, settle, discard: done };
    const log = createFileLog(old, old.text().length, place);
    await expect(log.compact(COMPACTION)).rejects.toThrow("no folder");
    await expect(log.append("one")).rejects.toThrow("no folder");
    isBroken = false;
    await log.append("two");
    expect([old.text(), fresh.text()]).toEqual(["drop\nkeep\n", "keep\nend\none\ntwo\n"]);
  });
});
