/**
 * Short texts for the keys of the journal, in their order. A key stands in the journal and again in its index: as it is, it
 * would take as much place as a tenth of a record, and an append would write a fifth more pages.
 *
 * The code of `log 003 0000000000012345` is `0033c1p`: the shard, then the sequence to the base 32, whose length stands before
 * it.
 */

/** The first key of the journal. Each `0` stands for any digit. */
const FIRST = "log 000 0000000000000000";

const FORM = /^log [0-9]{3} [0-9]{16}$/;

/** Where the sequence begins. */
const SEQUENCE = 8;

const BASE = 32;

/** After all codes. */
const END = "~";

/** Returns the code of a key; undefined if it is not a shard with a sequence. */
export function codeOf(key: string): string | undefined {
  const sequence = FORM.test(key) ? Number(key.slice(SEQUENCE)) : Number.NaN;
  if (!Number.isSafeInteger(sequence)) return undefined;
  const digits = sequence.toString(BASE);
  return key.slice(4, 7) + digits.length.toString(BASE) + digits;
}

/** Returns the key that has a code. */
export const keyOfCode = (code: string): string =>
  `log ${shardOfCode(code)} ${String(sequenceOfCode(code)).padStart(16, "0")}`;

/** Returns the sequence in a code. */
export const sequenceOfCode = (code: string): number => Number.parseInt(code.slice(4), BASE);

/** Returns the digits of the shard. */
export const shardOfCode = (code: string): string => code.slice(0, 3);

/** Returns the code of the first key that has one and is not before a text. */
export function firstCode(text: string): string {
  for (let at = 0; at < FIRST.length; at++) {
    const least = FIRST.charAt(at);
    const character = text.charAt(at);
    if (character < least) return codeOrEnd(text.slice(0, at) + FIRST.slice(at));
    if (character > (least === "0" ? "9" : least)) return codeAfter(text.slice(0, at));
  }
  return text.length === FIRST.length ? codeOrEnd(text) : codeAfter(text.slice(0, FIRST.length));
}

/** Returns the code of the first key after all that begin like this. */
function codeAfter(start: string): string {
  for (let at = start.length - 1; at >= 0; at--) {
    const digit = start.charAt(at);
    if (FIRST.charAt(at) !== "0" || digit === "9") continue;
    return codeOrEnd(start.slice(0, at) + String(Number(digit) + 1) + FIRST.slice(at + 1));
  }
  return END;
}

/** A sequence that has no code is greater than all that have one: the first code after it is one of the next shard. */
const codeOrEnd = (key: string): string => codeOf(key) ?? codeAfter(key.slice(0, SEQUENCE));
