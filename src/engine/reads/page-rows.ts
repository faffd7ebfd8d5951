import type { ParentOrder } from "../../model/index.ts";
import type { EndedPage, OrderStore } from "../../ports/index.ts";
import type { ParentPage } from "../core/calls.ts";

/** Approximate size of a row in a reply, without its weights. */
const ROW_BYTES = 1_024;

/** Rows of the first read of ended parents. Later reads ask for more rows while the rows are small. */
const FIRST_READ = 32;

/** Limits of a page. */
export type PageBound = Readonly<{ limit: number; maxBytes: number }>;

/** Length of weights as text. Weights are written out once to measure them, however many pages show them. */
const textBytes: WeakMap<Weights, number> = new WeakMap();

type Weights = NonNullable<NonNullable<ParentOrder["intent"]["schedule"]>["weights"]>;

/** Returns the approximate size of a parent in a reply. Only the weights of a schedule can be long. */
function bytesOf({ intent }: ParentOrder): number {
  const weights = intent.schedule?.weights;
  if (weights === undefined) return ROW_BYTES;
  const bytes = textBytes.get(weights) ?? weights.join().length;
  textBytes.set(weights, bytes);
  return ROW_BYTES + bytes;
}

/** Returns the first rows that a page may hold, at least one. The cursor is the last of them if more rows follow. */
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
 * Reads ended parents in reading order, at least one more than a page may hold if there are that many. Reads in
 * parts, so that memory never holds more large rows than a page needs.
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
