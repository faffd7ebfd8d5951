import { flagOption, type OptionCheck } from "../../common/index.ts";
import type { Awaitable, CommitPart, Entry, KeyRange, Storage } from "../../ports/index.ts";
import { storageOption } from "../../ports/internal.ts";
import { holds, same } from "../checks.ts";
import { type AtEnd, type Rules, subjectOption } from "../suite.ts";

/** An empty place for keys, such as a new file or table. */
export interface StoragePlace {
  /** Opens a handle on the place, as a process does when it starts. */
  open(): Awaitable<Storage>;
  /** Removes the place. All its handles are closed. */
  remove(): Awaitable<void>;
}

/** The optional parts of a storage, each declared as present or absent. */
export interface StorageSupport {
  /** Whether the next handle on a place finds what earlier ones wrote. */
  readonly durable: boolean;
  /** Whether several handles use a place at once, as several processes do. Such a storage has `clock`. */
  readonly shared: boolean;
}

/** A driver of the storage port as its author describes it to the suite. */
export interface StorageSubject {
  /** The name of the driver in the report. */
  readonly name: string;
  /** Its optional parts. */
  readonly supports: StorageSupport;
  /** Creates an empty place. The suite calls it once or twice per test, and removes each place at the end. */
  createPlace(): Awaitable<StoragePlace>;
}

/** Checks a driver that is handed to the suite. */
export const storageSubject: OptionCheck = /* @__PURE__ */ subjectOption<StorageSupport>(
  { durable: flagOption, shared: flagOption },
  "creates an empty place",
);

/** The surroundings of one rule: a place with a handle on it. All handles are closed at its end. */
type StorageWorld = Readonly<{
  storage: Storage;
  /** Opens another handle on the place. */
  open: () => Promise<Storage>;
  /** Closes a handle, as its process does at its end. */
  close: (handle: Storage) => Promise<void>;
  /** Opens a handle on another, empty place. */
  elsewhere: () => Promise<Storage>;
}>;

/** Rules of the storage port about one subject. */
export type StorageRules = Rules<StorageWorld, StorageSupport>;

/** Creates a place and a handle on it. Throws a TypeError if the handle is no storage. */
export async function createStorageWorld(subject: StorageSubject, atEnd: AtEnd): Promise<StorageWorld> {
  const handles = new Set<Storage>();
  const close = async (handle: Storage): Promise<void> => {
    if (handles.delete(handle)) await handle.close();
  };
  const opened = async (place: StoragePlace): Promise<Storage> => {
    const handle = await place.open();
    handles.add(handle);
    atEnd(() => close(handle));
    storageOption(handle, `the handle that createPlace of ${subject.name} opened`);
    return handle;
  };
  const created = async (): Promise<StoragePlace> => {
    const place = await subject.createPlace();
    atEnd(() => place.remove());
    return place;
  };
  const first = await created();
  return {
    storage: await opened(first),
    open: () => opened(first),
    close,
    elsewhere: async () => await opened(await created()),
  };
}

/** Returns a part; what is left out is empty. */
export const part = ({ conditions = [], puts = [], deletes = [] }: Partial<CommitPart>): CommitPart => ({
  conditions,
  puts,
  deletes,
});

/** Writes entries in one part without conditions. */
export async function write(storage: Storage, puts: readonly Entry[]): Promise<void> {
  same(`commit of ${puts.length} puts`, await storage.commit([part({ puts })]), [true]);
}

/** Returns the entries of one range. */
export async function rangeOf(storage: Storage, range: KeyRange): Promise<readonly Entry[]> {
  const answer = await storage.range([range]);
  holds("range of one range", answer.length === 1, "one list of entries", answer);
  return answer[0] as readonly Entry[];
}

/** All keys that a rule writes are in this range. */
export const EVERYTHING = { from: " ", before: "~~", limit: 1_000 } as const;

/** Checks all entries. Throws a Mismatch. */
export async function stores(storage: Storage, entries: readonly Entry[]): Promise<void> {
  same("all entries", await rangeOf(storage, EVERYTHING), entries);
}

/** Reads a range page by page up to its end, which is an empty page. Stops with more than `most` entries. */
export async function walk(storage: Storage, range: KeyRange, most: number): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  let rest = range;
  for (;;) {
    const page = await rangeOf(storage, rest);
    const last = page.at(-1)?.[0];
    if (last === undefined) return entries;
    for (const entry of page) entries.push(entry);
    holds("pages of a range", page.length <= range.limit, `at most ${range.limit} entries`, page.length);
    holds("pages of a range", entries.length <= most, `at most ${most} entries in all`, entries.length);
    rest = range.reverse === true ? { ...range, before: last } : { ...range, from: `${last} ` };
  }
}

/** Returns a number with leading zeros, so that the order of texts is that of numbers. */
export const digits = (value: number, length: number): string => String(value).padStart(length, "0");
