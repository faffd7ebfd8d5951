import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { lockFile, lockFileOnce } from "../../../src/adapters/sqlite/file.ts";
import { type TemporaryPlace, temporaryPlace } from "./temporary-place.ts";

/** Called before a file is looked at. */
const looking = vi.hoisted(() => vi.fn<(path: unknown) => void>());

vi.mock("node:fs", async (original) => {
  const fs = await original<typeof import("node:fs")>();
  const accessSync: typeof fs.accessSync = (path, mode) => {
    looking(path);
    fs.accessSync(path, mode);
  };
  return { ...fs, accessSync };
});

let place: TemporaryPlace;
beforeEach(() => {
  place = temporaryPlace();
});
afterEach(() => {
  looking.mockReset();
  place.remove();
});

describe("a lock that its holder removes while another process asks for it", () => {
  const part = () => ({ path: join(place.directory, "backup.db.part"), busyTimeoutMs: 0 });
  const isInUse = { code: "EBUSY", message: expect.stringContaining("is in use by another process") };

  it("was in use, and nothing is wrong with its directory", () => {
    const first = lockFileOnce(part());
    looking.mockImplementationOnce(() => first());
    expect(() => lockFile(part())).toThrow(expect.objectContaining(isInUse));
    lockFileOnce(part())();
  });

  it("but a directory that is gone is told", () => {
    const first = lockFileOnce(part());
    looking.mockImplementationOnce(() => rmSync(place.directory, { recursive: true }));
    expect(() => lockFile(part())).toThrow("backup.db.part cannot be opened (ENOENT)");
    first();
  });
});
