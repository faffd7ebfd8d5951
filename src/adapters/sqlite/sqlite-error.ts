import { recognisedAs } from "../../common/index.ts";

/** The names of SQLite's results, by number. */
const PRIMARY = (
  "OK ERROR INTERNAL PERM ABORT BUSY LOCKED NOMEM READONLY INTERRUPT IOERR CORRUPT NOTFOUND FULL CANTOPEN PROTOCOL " +
  "EMPTY SCHEMA TOOBIG CONSTRAINT MISMATCH MISUSE NOLFS AUTH FORMAT RANGE NOTADB NOTICE WARNING"
).split(" ");

/** The names of the kinds of a result, by its name; the first has the number 1. */
const EXTENDED: Readonly<Record<string, readonly string[]>> = {
  ERROR: "MISSING_COLLSEQ RETRY SNAPSHOT RESERVESIZE KEY UNABLE".split(" "),
  ABORT: ["", "ROLLBACK"],
  BUSY: "RECOVERY SNAPSHOT TIMEOUT".split(" "),
  LOCKED: "SHAREDCACHE VTAB".split(" "),
  READONLY: "RECOVERY CANTLOCK ROLLBACK DBMOVED CANTINIT DIRECTORY".split(" "),
  IOERR: (
    "READ SHORT_READ WRITE FSYNC DIR_FSYNC TRUNCATE FSTAT UNLOCK RDLOCK DELETE BLOCKED NOMEM ACCESS " +
    "CHECKRESERVEDLOCK LOCK CLOSE DIR_CLOSE SHMOPEN SHMSIZE SHMLOCK SHMMAP SEEK DELETE_NOENT MMAP GETTEMPPATH CONVPATH " +
    "VNODE AUTH BEGIN_ATOMIC COMMIT_ATOMIC ROLLBACK_ATOMIC DATA CORRUPTFS IN_PAGE"
  ).split(" "),
  CORRUPT: "VTAB SEQUENCE INDEX".split(" "),
  CANTOPEN: "NOTEMPDIR ISDIR FULLPATH CONVPATH DIRTYWAL SYMLINK".split(" "),
  CONSTRAINT:
    "CHECK COMMITHOOK FOREIGNKEY FUNCTION NOTNULL PRIMARYKEY TRIGGER UNIQUE VTAB ROWID PINNED DATATYPE".split(
      " ",
    ),
  AUTH: ["USER"],
};

/** Number of bits of a result that say what it is; those above say of which kind. */
const PRIMARY_BITS = 8;

/** An error of SQLite, with the name of its result as `code`, such as SQLITE_BUSY. */
export class SqliteError extends Error {
  /** Recognises an error of this class, also one of another copy of the package. */
  static override readonly [Symbol.hasInstance]: (value: unknown) => boolean =
    /* @__PURE__ */ recognisedAs("SqliteError");
  override readonly name = "SqliteError";
  readonly code: string;

  constructor(message: string, { code, cause }: Readonly<{ code: string; cause: unknown }>) {
    super(message, { cause });
    this.code = code;
  }
}

/** Returns the name of a result by its number; of an unknown kind of a result, the name of the result. */
export function resultName(result: number): string {
  const primary = PRIMARY[result & (2 ** PRIMARY_BITS - 1)] ?? `UNKNOWN_${result}`;
  const kind = EXTENDED[primary]?.[(result >> PRIMARY_BITS) - 1] ?? "";
  return `SQLITE_${primary}${kind === "" ? "" : `_${kind}`}`;
}

/**
 * Returns an error of node:sqlite in the form in which better-sqlite3 has it: with the name of the result as `code`. An
 * integer beyond those of JavaScript becomes SQLITE_CORRUPT, because the store reads columns that may have one as text.
 * Returns any other error unchanged.
 */
export function namedError(error: unknown): unknown {
  if (!(error instanceof Error) || !("code" in error)) return error;
  if (error.code === "ERR_OUT_OF_RANGE")
    return new SqliteError(error.message, { code: "SQLITE_CORRUPT", cause: error });
  if (error.code !== "ERR_SQLITE_ERROR" || !("errcode" in error) || typeof error.errcode !== "number")
    return error;
  return new SqliteError(error.message, { code: resultName(error.errcode), cause: error });
}
