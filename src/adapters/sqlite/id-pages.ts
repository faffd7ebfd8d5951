import { pages } from "../shared/index.ts";

/** Number of ids of a page: their rows are read or changed in some milliseconds. */
const IDS_PER_PAGE = 512;

/**
 * Yields the ids of a table in pages, by falling id, with a turn of the event loop after each. `page` returns at most
 * `limit` ids after one, and the first ones after 0.
 */
export const idPages = (
  page: (after: number, limit: number) => readonly number[],
): AsyncGenerator<readonly number[]> =>
  pages((after: number) => {
    const ids = page(after, IDS_PER_PAGE);
    return [ids, ids.at(-1)];
  }, 0);
