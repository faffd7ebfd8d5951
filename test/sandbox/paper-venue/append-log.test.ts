import { expect, it } from "vitest";
import { createFileLog, type LogFile } from "../../../src/sandbox/paper-venue/append-log.ts";

/** A file in memory on a disk that is full when told to be; what fitted before that stays, as on a real one. */
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

it("decision FN: what a full disk did not take goes to disk with the next attempt, once, whole and in order", async () => {
  const file = fullableFile();
  const log = createFileLog(file, 4);
  const kept: string[] = [];
  const append = (line: string): Promise<void> => log.append(line, () => void kept.push(line));
  await append("one");
  file.isFull = true;
  await expect(append("two")).rejects.toThrow("full");
  await expect(append("three")).rejects.toThrow("full");
  await expect(log.durable()).rejects.toThrow("full");
  expect([log.isFailing, kept]).toEqual([true, ["one"]]);
  file.isFull = false;
  await append("four");
  expect(file.text()).toBe("old\none\ntwo\nthree\nfour\n");
  expect([log.isFailing, kept]).toEqual([false, ["one", "two", "three", "four"]]);
  await log.close();
});

it("decision FN: whoever asks for what is durable makes the attempt; a close makes the last one", async () => {
  const file = fullableFile();
  const log = createFileLog(file, 4);
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
