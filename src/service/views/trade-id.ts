import { hashOf } from "../../common/index.ts";

/** An id of an execution that is a number of at most 64 bits, and is therefore its own trade id. */
const NUMBER = /^[1-9][0-9]{0,18}$/;
const LARGEST = 2n ** 63n - 1n;

/** Trade ids of other texts begin here and have 52 bits more, so that a double holds them exactly. */
const FIRST = 2 ** 52;
const HIGH_BITS = 2 ** 20;
const LOW_BITS = 2 ** 32;

/** Makes the low bits independent of the high ones. It never changes: it would change the ids of past fills. */
const LOW_SEED = 0x9e3779b1;

/**
 * Returns the number by which REST and streams name an execution. It is a function of the execution id alone, which the
 * venue keeps and the journal contains: the number is the same after a restart and on every route. A numeric execution
 * id is its own number, exactly; any other text has a number from 2^52 to 2^53 - 1.
 * Source: decision MB.
 */
export function tradeIdOf(executionId: string): number | bigint {
  const number = ownTradeIdOf(executionId);
  if (number !== undefined) return number;
  return FIRST + (hashOf(executionId) % HIGH_BITS) * LOW_BITS + hashOf(executionId, LOW_SEED);
}

/** Returns the number that an execution id is; undefined for any other text. */
export function ownTradeIdOf(executionId: string): bigint | undefined {
  const number = NUMBER.test(executionId) ? BigInt(executionId) : undefined;
  return number === undefined || number > LARGEST ? undefined : number;
}
