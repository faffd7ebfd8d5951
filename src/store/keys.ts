import type { KeyRange } from "../ports/index.ts";

/**
 * Every kind of row. The first word of a key is the kind. Numbers have 16 digits, shards three, so that their order is
 * that of the texts; ids of orders and lists, which are negative, stand without their sign, so that they rise with their
 * age. Texts of hosts are escaped, except where the pattern of the contract allows printable characters only.
 *
 * | key | value |
 * |---|---|
 * | `head SHARD` | epoch and round of a shard or of the market journal |
 * | `epoch SHARD` | the epoch again, for what is deleted beside appends |
 * | `log SHARD SEQUENCE` | a record of the journal |
 * | `forgotten SHARD` | the highest sequence of a deleted record |
 * | `snapshot SHARD` | sequence, counter, generation, numbers of parts and of parents of the newest snapshot |
 * | `snap SHARD GENERATION PART` | parents of a snapshot |
 * | `generation` | the last generation of a snapshot |
 * | `ended ACCOUNT ORDER` | an ended parent |
 * | `order SHARD ORDER` | the account: ended parents by id |
 * | `name ACCOUNT CLIENTID` | the order |
 * | `time ENDED ORDER` | the account: ended parents outside lists |
 * | `leg LIST ORDER` | the account: ended legs |
 * | `count ACCOUNT` | number of ended parents |
 * | `list ACCOUNT LIST` | an ended list |
 * | `listname ACCOUNT CLIENTID` | the list |
 * | `listtime ENDED LIST` | the account |
 * | `accepted ACCOUNT ACCEPTED LIST` | none: the ended lists of an account by time |
 * | `mark SHARD SYMBOL SIDE POSITION` | price and time of a mark |
 * | `quote SYMBOL` | the last counted quote |
 * | `print SYMBOL ID` | when a print was first seen |
 * | `seen SEEN SYMBOL ID` | none: prints by that time |
 * | `place OWNER POSITION` | a print whole, for nodes that follow |
 * | `placed` | the last place, and the number of writes of the market journal |
 * | `total SYMBOL` | executed volume, and the last position that it contains |
 * | `bar MINUTE SYMBOL` | volume of a minute, likewise |
 * | `pricebar LENGTH START SYMBOL` | figures of a bar, likewise |
 * | `cluster` | nodes, and the owners of shards |
 * | `reject ACCOUNT POSITION` | a rejection |
 * | `rejectname ACCOUNT CLIENTID POSITION` | none: rejections by client id |
 * | `rejecttime TIME ACCOUNT POSITION` | the client id: rejections by time |
 * | `rejects ACCOUNT` | the last position of a rejection |
 * | `orders DAY ACCOUNT WRITER` | orders that a rate limiter has counted, and the number of the write |
 * | `limiters` | number of rate limiters that were opened |
 * | `ban ADDRESS` | end and length of a ban |
 * | `banend END ADDRESS` | none: bans by their end |
 * | `value KEY` | a small value of the host |
 */
export function keyOf(kind: string, ...parts: readonly (string | number)[]): string {
  let key = kind;
  for (const part of parts) key += ` ${typeof part === "number" ? digits(part) : part}`;
  return key;
}

/** Number of digits of a number in a key. */
const DIGITS = 16;
const ZEROS = "0".repeat(DIGITS);

/** Returns a number as it stands in a key. */
export const digits = (number: number): string => ZEROS.slice(`${number}`.length) + number;

/** Returns the number at the end of a key. */
export const lastNumberIn = (key: string): number => numberIn(key.slice(-DIGITS));

/** Returns the number of a shard as it stands in a key. */
export const shardDigits = (shard: number): string => String(shard).padStart(3, "0");

/** Returns a text of a host as it stands in a key: other texts have other results. */
export const escaped = (text: string): string =>
  text.replace(/[^!-$&-~]/gu, (character) => `%${character.codePointAt(0)?.toString(16)};`);

/** Returns the text of {@link escaped}. */
export const unescaped = (text: string): string =>
  text.replace(/%([0-9a-f]+);/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)));

/** Returns the parts of a key after its kind. */
export const partsOf = (key: string): readonly string[] => key.split(" ").slice(1);

/** Returns the number in the part of a key. */
export const numberIn = (part: string | undefined): number => Number.parseInt(part ?? "", 10);

/** Returns the keys that begin with some parts and a space, above the key `after` if it is given. */
export function under(prefix: string, after?: string): Pick<KeyRange, "from" | "before"> {
  return { from: after === undefined ? `${prefix} ` : `${after} `, before: `${prefix}!` };
}

/** Returns the range of the last key that begins with some parts and a space. */
export const lastUnder = (prefix: string): KeyRange => ({ ...under(prefix), limit: 1, reverse: true });

/** Returns a stored number; a row that is not there counts nothing. */
export const countIn = (value: string | undefined): number => numberIn(value ?? "0");
