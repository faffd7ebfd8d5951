import { randomBytes } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { lineOf, readArchive } from "../../../src/adapters/sqlite/archive.ts";
import { type TemporaryPlace, temporaryPlace } from "./temporary-place.ts";

const DESCRIPTORS = "/proc/self/fd";
/** Larger than what the streams read ahead. */
const BYTES = 1_500_000;

let place: TemporaryPlace;
beforeEach(() => {
  place = temporaryPlace();
});
afterEach(() => place.remove());

/** Writes a day of an archive that contains no record. */
function writeDay(cut: number): string {
  const folder = join(place.directory, "archive");
  mkdirSync(folder);
  const path = join(folder, "journal-1970-01-01.ndjson.gz");
  const lines = randomBytes(BYTES)
    .toString("base64")
    .replaceAll(/(.{80})/g, "$1\n");
  const bytes = gzipSync(lines, { level: 1 });
  bytes.fill(0, cut);
  writeFileSync(path, bytes);
  return path;
}

/** How many descriptors of this process are those of a file. */
function descriptorsOf(path: string): number {
  const real = realpathSync(path);
  return readdirSync(DESCRIPTORS).filter((name) => {
    try {
      return readlinkSync(join(DESCRIPTORS, name)) === real;
    } catch {
      return false;
    }
  }).length;
}

describe.runIf(existsSync(DESCRIPTORS))("a compressed file of the archive is closed", () => {
  it.each([
    ["whose reader stops early", BYTES * 2],
    ["that is damaged", 1_000],
  ])("%s", async (_name, cut) => {
    const path = writeDay(cut);
    for await (const { problem } of readArchive(join(place.directory, "archive"))) {
      expect(problem).toBeDefined();
      break;
    }
    await vi.waitFor(() => expect(descriptorsOf(path)).toBe(0));
  });
});

describe("the last day of an archive", () => {
  it("has no damaged line if the part of a line that a crash left is cut off while it is read", async () => {
    const folder = join(place.directory, "archive");
    mkdirSync(folder);
    const path = join(folder, "journal-1970-01-01.ndjson");
    const lineAt = (position: number, length: number): string =>
      lineOf({ text: `{"v":1,"record":"${"x".repeat(length)}"}`, position });
    const whole = lineAt(1, 10) + lineAt(2, 10);
    writeFileSync(path, whole + lineAt(3, BYTES).slice(0, -2));
    const positions: unknown[] = [];
    for await (const { record, problem } of readArchive(folder)) {
      positions.push(problem ?? record?.position);
      if (positions.length > 1) continue;
      truncateSync(path, whole.length);
      for (let position = 3; position < 100; position++) appendFileSync(path, lineAt(position, BYTES / 50));
    }
    expect(positions).toEqual([1, 2]);
  });
});
