/** Place in the order of rows by their end; the next page begins after it. */
export type Cursor = Readonly<{ endedAtMs: number; id: number }>;

/** The place before all rows. */
export const START: Cursor = { endedAtMs: Number.MIN_SAFE_INTEGER, id: Number.MIN_SAFE_INTEGER };

/** Asks for rows that ended before a time, earliest end first. */
export type LeavingPage = Readonly<{ beforeMs: number; after: Cursor; limit: number }>;
