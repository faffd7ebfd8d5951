import { nextTurn } from "./next-turn.ts";

/** A page of rows, and the place after which the next page begins; undefined after the last row. */
type Page<Row, Place> = readonly [page: readonly Row[], last: Place | undefined];

/** Reads page after page, with a turn of the event loop after each. The first page begins after `start`. */
export async function* pages<Row, Place>(
  read: (after: Place) => Page<Row, Place> | Promise<Page<Row, Place>>,
  start: Place,
): AsyncGenerator<readonly Row[]> {
  for (let after = start; ; ) {
    const [page, last] = await read(after);
    if (last === undefined) return;
    yield page;
    after = last;
    await nextTurn();
  }
}
