import * as z from "zod";
import type { Parameters } from "../wire/index.ts";
import { type Actor, actorOf, actorShape } from "./actor.ts";
import { type KnownNames, namesOfRead, namesOfWrite, type RequestShape } from "./known-names.ts";
import { plainFields } from "./plain-fields.ts";
import { readWith } from "./read-with.ts";

/** A page of managed parents; `afterOrderId` 0 starts, else it is the nextOrderId of the page before. */
export type OpenOrdersPage = Actor &
  Readonly<{ includeHistory: boolean; newestFirst: boolean; limit: number; afterOrderId: number }>;

/** Known so that they are refused by name: pages and cancel-all reach across all markets. */
const REFUSED = ["symbol", "instrumentId", "side"];
const PAGING = ["includeHistory", "newestFirst", "limit", "afterOrderId"];

const PAGE_NAMES: KnownNames = namesOfRead(["apiManaged", ...PAGING, ...REFUSED]);
const CANCEL_NAMES: KnownNames = namesOfWrite(["apiManaged", ...REFUSED]);

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;

const cancelAllSchema = z.strictObject({ apiManaged: z.literal(true), ...actorShape });

const pageSchema = cancelAllSchema.extend({
  includeHistory: z.boolean().default(false),
  newestFirst: z.boolean().default(false),
  limit: z.number().int().min(1).max(MAX_LIMIT).default(DEFAULT_LIMIT),
  afterOrderId: z.number().int().max(0).default(0),
});

/** What asks for a page of managed orders. */
export const OPEN_ORDERS_PAGE: RequestShape = { names: PAGE_NAMES, schema: pageSchema };

/** What cancels all managed orders. */
export const CANCEL_ALL: RequestShape = { names: CANCEL_NAMES, schema: cancelAllSchema };

/**
 * Reads the parameters of GET /api/v3/openOrders.
 * Throws an OrderError: apiManaged missing -1102, not true -1130; symbol, instrumentId or side -1106; limit above
 * 1000 -1102, below 1 -1130; a positive cursor -1130. Source: contract, GET /api/v3/openOrders parameters.
 */
export function readOpenOrdersPage(parameters: Parameters): OpenOrdersPage {
  const fields = readWith(pageSchema, plainFields(parameters, PAGE_NAMES));
  const { includeHistory, newestFirst, limit, afterOrderId } = fields;
  return { includeHistory, newestFirst, limit, afterOrderId, ...actorOf(fields) };
}

/**
 * Reads the parameters of DELETE /api/v3/openOrders. Only apiManaged, account and userId are known, so that a signed
 * page request cannot serve as a cancel-all. Throws an OrderError as {@link readOpenOrdersPage} does.
 * Source: contract, DELETE /api/v3/openOrders.
 */
export function readCancelAll(parameters: Parameters): Actor {
  return actorOf(readWith(cancelAllSchema, plainFields(parameters, CANCEL_NAMES)));
}
