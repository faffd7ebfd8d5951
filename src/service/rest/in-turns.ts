import type { Awaitable, Clock } from "../../ports/index.ts";

/** Rows of an answer that one turn of the event loop makes, which takes some milliseconds. */
const ROWS_PER_TURN = 512;

/** Resolves after all events that have already happened are handled. */
export function nextTurn(clock: Pick<Clock, "soon">): Promise<void> {
  return new Promise((resolve) => clock.soon(resolve));
}

/** Maps the rows of an answer, those behind the first share in later turns: a long answer must not delay other requests. */
export async function mapInTurns<T, U>(
  clock: Pick<Clock, "soon">,
  rows: readonly T[],
  map: (row: T) => Awaitable<U>,
  rowsPerTurn: number = ROWS_PER_TURN,
): Promise<readonly U[]> {
  const mapped: U[] = [];
  for (let from = 0; from < rows.length; from += rowsPerTurn) {
    if (from > 0) await nextTurn(clock);
    const share = rows.slice(from, from + rowsPerTurn).map(map);
    for (const one of await Promise.all(share)) mapped.push(one);
  }
  return mapped;
}
