import { crc32 } from "node:zlib";
import { InvariantError } from "../../errors/index.ts";
import type { CommitPart, Condition, Entry, Storage } from "../../ports/index.ts";

/** What an operator restores when a row is damaged. */
type Damaged = "file" | "database";

/** Digits of the checksum before each value. */
const DIGITS = 8;

/** Over the key too, so that a row that was moved is noticed like one that was changed. */
const checksumOf = (key: string, value: string): number => crc32(value, crc32(key));

const halfText = (half: number): string => half.toString(16).padStart(DIGITS / 2, "0");

/** Returns a value as it is stored: with a checksum of its key and of itself. */
export function withChecksum(key: string, value: string): string {
  const sum = checksumOf(key, value);
  // In halves, because a number beyond 31 bits takes ten times as long.
  return halfText(sum >>> 16) + halfText(sum & 0xffff) + value;
}

/** Returns a stored value. Throws an InvariantError I53 that names its key if it is not as it was written. */
export function intactValue([key, stored]: Entry, damaged: Damaged): string {
  const value = stored.slice(DIGITS);
  if (Number.parseInt(stored.slice(0, DIGITS), 16) === checksumOf(key, value)) return value;
  throw new InvariantError(
    "I53",
    `the row "${key}" cannot be read: its checksum does not match, so it changed after it was written; restore the ${damaged} from a backup`,
  );
}

/** Number of conditions that are remembered: an append relies on the head of its shard, again and again. */
const MOST_KNOWN = 1_024;

/** Returns what makes conditions into those of stored values. */
function storedConditions(): (condition: Condition) => Condition {
  const known = new Map<string, Condition>();
  return (condition) => {
    const [key, value] = condition;
    if (value === undefined) return condition;
    const last = known.get(key);
    if (last?.[1]?.length === DIGITS + value.length && last[1].endsWith(value)) return last;
    if (known.size === MOST_KNOWN) known.clear();
    const stored = [key, withChecksum(key, value)] as const;
    known.set(key, stored);
    return stored;
  };
}

/** Returns a storage that notices whether a row was changed, moved or zeroed: its values have checksums in the given one. */
export function checked(storage: Storage, damaged: Damaged): Storage {
  const stored = storedConditions();
  const partOf = ({ conditions, puts, deletes }: CommitPart): CommitPart => ({
    conditions: conditions.map(stored),
    puts: puts.map(([key, value]) => [key, withChecksum(key, value)]),
    deletes,
  });
  const clock = storage.clock?.bind(storage);
  return {
    commit: (parts) => storage.commit(parts.map(partOf)),
    async get(keys) {
      const values = await storage.get(keys);
      return keys.map((key, place) => {
        const value = values[place];
        return value === undefined ? undefined : intactValue([key, value], damaged);
      });
    },
    async range(ranges) {
      const found = await storage.range(ranges);
      return found.map((entries) => entries.map((entry): Entry => [entry[0], intactValue(entry, damaged)]));
    },
    ...(clock !== undefined && { clock }),
    ...(storage.isSettled !== undefined && { isSettled: storage.isSettled }),
    close: () => storage.close(),
  };
}
