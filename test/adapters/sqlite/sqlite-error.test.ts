import { describe, expect, it } from "vitest";
import { namedError, resultName } from "../../../src/adapters/sqlite/database.ts";

describe("results of node:sqlite have the names that better-sqlite3 gives them", () => {
  it.each([
    [1, "SQLITE_ERROR"],
    [5, "SQLITE_BUSY"],
    [8, "SQLITE_READONLY"],
    [11, "SQLITE_CORRUPT"],
    [13, "SQLITE_FULL"],
    [14, "SQLITE_CANTOPEN"],
    [26, "SQLITE_NOTADB"],
    [261, "SQLITE_BUSY_RECOVERY"],
    [266, "SQLITE_IOERR_READ"],
    [516, "SQLITE_ABORT_ROLLBACK"],
    [517, "SQLITE_BUSY_SNAPSHOT"],
    [522, "SQLITE_IOERR_SHORT_READ"],
    [778, "SQLITE_IOERR_WRITE"],
    [779, "SQLITE_CORRUPT_INDEX"],
    [1032, "SQLITE_READONLY_DBMOVED"],
    [1555, "SQLITE_CONSTRAINT_PRIMARYKEY"],
    [2067, "SQLITE_CONSTRAINT_UNIQUE"],
    [3091, "SQLITE_CONSTRAINT_DATATYPE"],
    [4874, "SQLITE_IOERR_SHMSIZE"],
    [8714, "SQLITE_IOERR_IN_PAGE"],
    [11 + 256 * 99, "SQLITE_CORRUPT"],
    [99, "SQLITE_UNKNOWN_99"],
  ])("result %i is %s", (result, name) => {
    expect(resultName(result)).toBe(name);
  });

  it("an error keeps its text, and has the original as its cause", () => {
    const native = Object.assign(new Error("database is locked"), { code: "ERR_SQLITE_ERROR", errcode: 5 });
    expect(namedError(native)).toMatchObject({
      name: "SqliteError",
      message: "database is locked",
      code: "SQLITE_BUSY",
      cause: native,
    });
  });

  it("I53: an integer that JavaScript cannot represent is damage, never a rounded number", () => {
    const native = Object.assign(new RangeError("Value is too large"), { code: "ERR_OUT_OF_RANGE" });
    expect(namedError(native)).toMatchObject({ code: "SQLITE_CORRUPT", cause: native });
  });

  it("any other error is returned unchanged", () => {
    const own = new Error("the store is closed");
    expect(namedError(own)).toBe(own);
    expect(namedError("text")).toBe("text");
  });
});
