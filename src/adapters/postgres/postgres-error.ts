import { errorMessage, recognisedAs } from "../../common/index.ts";

/**
 * The connection was lost, or the server said that it does not know: the statement may have been committed, may be
 * rolled back, and may still be under way.
 */
export class UnknownOutcome extends Error {
  override readonly name = "UnknownOutcome";
}

/**
 * An error of the store whose message says what to do. `code` is one of Postgres or Node, or NOT_DURABLE, FOREIGN_SCHEMA,
 * NEWER_SCHEMA, UNFINISHED_COPY, ENCODING, SERVER_VERSION, DRIVER_MISSING; of commands NO_STORE, OLDER_SCHEMA,
 * TARGET_NOT_EMPTY.
 */
export class PostgresStoreError extends Error {
  /** Recognises an error of this class, also one of another copy of the package. */
  static override readonly [Symbol.hasInstance]: (value: unknown) => boolean =
    /* @__PURE__ */ recognisedAs("PostgresStoreError");
  override readonly name = "PostgresStoreError";
  readonly code: string;

  constructor(message: string, code: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** Returns the SQLSTATE of an error that the server answered, undefined for any other error. */
export function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("severity" in error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/**
 * Whether an error says that nothing was kept: the server answered it, and the answer is not that the connection ends
 * (08, 57P) or that the outcome is not known (40003).
 */
export function isDefiniteNo(error: unknown): boolean {
  const state = sqlState(error);
  return state !== undefined && !state.startsWith("08") && !state.startsWith("57P") && state !== "40003";
}

/** Serialization failure, deadlock, lock not available: the same statement may succeed when it comes again. */
const PASSING = ["40001", "40P01", "55P03"];

/** Whether a statement that was rolled back may succeed when the same bytes are sent again. */
export function mayPass(error: unknown): boolean {
  const state = sqlState(error);
  return state !== undefined && PASSING.includes(state);
}

/** The server does not know a prepared statement, or has one of that name that this connection did not prepare. */
const UNPREPARED = ["26000", "42P05"];

/** Whether a statement was refused because a pooler has given the connection another session. */
export function isUnprepared(error: unknown): boolean {
  const state = sqlState(error);
  return state !== undefined && UNPREPARED.includes(state);
}

/** Where a store is, as messages name it: without user and password. */
export type Place = Readonly<{ database: string; schema: string }>;

const STATES: readonly (readonly [start: string, text: (place: Place) => string])[] = [
  ["28P01", ({ database }) => `${database} refuses the password: check user and password of the URL`],
  [
    "28",
    ({ database }) =>
      `${database} refuses the user: check the user of the URL, and pg_hba.conf of the server`,
  ],
  ["3D000", ({ database }) => `${database} does not exist: create the database, or correct the URL`],
  [
    "42501",
    ({ database, schema }) =>
      `the user has no rights to ${schema} in ${database}: grant CREATE on the database, or create the schema and make the user its owner`,
  ],
  [
    "53300",
    ({ database }) =>
      `${database} has no connection left: raise max_connections, put a pooler in front of it, or lower \`connections\``,
  ],
  ["53100", ({ database }) => `the disk of ${database} is full: free space; nothing was written`],
  [
    "55P03",
    ({ database }) =>
      `a table of ${database} is locked by another transaction, such as a backup: try again when it has ended`,
  ],
  ["53200", ({ database }) => `${database} is out of memory`],
  [
    "25006",
    ({ database }) => `${database} is read-only, such as a standby: use the URL of the primary server`,
  ],
  ["57P03", ({ database }) => `${database} is starting or shutting down: try again`],
  ["57P", ({ database }) => `${database} has ended the connection`],
];

const SYSTEM: Readonly<Record<string, string>> = {
  ECONNREFUSED: "no server listens there: start it, or correct host and port of the URL",
  ENOTFOUND: "the host name is unknown: correct the URL",
  EAI_AGAIN: "the host name cannot be looked up now: check the network",
  EHOSTUNREACH: "no route leads to the host: check the network",
  ENETUNREACH: "no route leads to the host: check the network",
  ETIMEDOUT: "the host does not answer: check network and firewall",
  ECONNRESET: "the connection was cut: a server that demands TLS, a pooler or a firewall may do that",
};

/** What the package pg says, before it asks the server, if a password is demanded and there is none. */
const NO_PASSWORD = /client password must be a /;

/** Returns an error with words for the host about an error of the driver or the server. Never contains a password. */
export function explained(error: unknown, place: Place): Error {
  if (error instanceof PostgresStoreError || error instanceof UnknownOutcome) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const known = sqlState(error) === undefined ? undefined : STATES.find(([start]) => code.startsWith(start));
  if (known !== undefined) return new PostgresStoreError(`${known[1](place)} (${code})`, code, error);
  const why = SYSTEM[code];
  if (why !== undefined)
    return new PostgresStoreError(`${place.database} cannot be reached (${code}): ${why}`, code, error);
  if (error instanceof RangeError || error instanceof TypeError) return error;
  if (NO_PASSWORD.test(errorMessage(error)))
    return new PostgresStoreError(
      `${place.database} demands a password: put it into PGPASSWORD, ~/.pgpass or the URL (28P01)`,
      "28P01",
      error,
    );
  const suffix = code === "" ? "" : ` (${code})`;
  return new PostgresStoreError(`${place.database}: ${errorMessage(error)}${suffix}`, code, error);
}
