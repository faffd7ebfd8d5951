import type { ParentOrder } from "../../model/index.ts";
import type { EndedPage, OrderStore } from "../../ports/index.ts";
import type { ParentPage } from "../core/api.ts";

/** What a row of a page takes in a reply beside its weights. */
const ROW_BYTES = 1_024;

/** Rows of the first read of ended parents; more are read at once while they are small. */
const FIRST_READ = 32;

/** How much a page may hold. */
export type PageBound = Readonly<{ limit: number; maxBytes: number }>;

/** How long the text of weights is: each row of them is written once to find out, however many pages show it. */
const textBytes: WeakMap<Weights, number> = new WeakMap();

type Weights = NonNullable<NonNullable<ParentOrder["intent"]["schedule"]>["weights"]>;

/** What a parent takes in a reply, about: only the weights of a schedule can be long. */
function bytesOf({ intent }: ParentOrder): number {
  const weights = intent.schedule?.weights;
  if (weights === undefined) return ROW_BYTES;
  const bytes = textBytes.get(weights) ?? weights.join().length;
  textBytes.set(weights, bytes);
  return ROW_BYTES + bytes;
}

/** Of rows in reading order as many as a page may hold, one at least; the cursor is the last of them when there are more. */
export function pageOf(
  orders: readonly ParentOrder[],
  page: PageBound & Readonly<{ total: number }>,
): ParentPage {
  const shown: ParentOrder[] = [];
  let bytes = 0;
  for (const order of orders) {
    if (shown.length === page.limit || bytes >= page.maxBytes) break;
    shown.push(order);
    bytes += bytesOf(order);
  }
  const last = shown.at(-1);
  const nextOrderId = shown.length < orders.length && last !== undefined ? last.orderId : 0;
  return { total: page.total, nextOrderId, orders: shown };
}

/**
 * Ended parents in reading order, at least one more than a page may hold where there are so many: read in parts, so that
 * no more of large ones is in memory than a page needs.
 */
export async function readEndedRows(
  read: OrderStore["pageEnded"],
  page: Omit<EndedPage, "limit">,
  { limit, maxBytes }: PageBound,
): Promise<readonly ParentOrder[]> {
  const rows: ParentOrder[] = [];
  let { afterOrderId } = page;
  let bytes = 0;
  for (let most = FIRST_READ; ; ) {
    const wanted = Math.min(most, limit + 1 - rows.length);
    const part = await read({ ...page, afterOrderId, limit: wanted });
    let partBytes = 0;
    for (const order of part) {
      rows.push(order);
      if (bytes >= maxBytes) return rows;
      const rowBytes = bytesOf(order);
      partBytes += rowBytes;
      bytes += rowBytes;
    }
    afterOrderId = part.at(-1)?.orderId ?? 0;
    if (part.length < wanted || rows.length > limit) return rows;
    if (partBytes <= 2 * ROW_BYTES * part.length) most *= 2;
  }
}
