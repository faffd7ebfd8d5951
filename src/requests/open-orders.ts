import type { Parameters } from "../wire/index.ts";
import { ACTOR_RULES, type Actor, actorOf } from "./actor.ts";
import { fieldSet, type RequestShape } from "./field-set.ts";
import { type KnownNames, namesOfRead, namesOfWrite } from "./known-names.ts";
import { plainFields } from "./plain-fields.ts";
import { flag, only, preset, whole } from "./rule.ts";

/** A page of managed parents. `afterOrderId` is 0 for the first page, else the nextOrderId of the previous page. */
export type OpenOrdersPage = Actor &
  Readonly<{ includeHistory: boolean; newestFirst: boolean; limit: number; afterOrderId: number }>;

/** Parameters that are known only to refuse them by name: pages and cancel-all cover all markets. */
const REFUSED = ["symbol", "instrumentId", "side"];
const PAGING = ["includeHistory", "newestFirst", "limit", "afterOrderId"];

const PAGE_NAMES: KnownNames = namesOfRead(["apiManaged", ...PAGING, ...REFUSED]);
const CANCEL_NAMES: KnownNames = namesOfWrite(["apiManaged", ...REFUSED]);

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;

const CANCEL_ALL_RULES = { apiManaged: only(true), ...ACTOR_RULES };
const CANCEL_ALL_SET = fieldSet(CANCEL_ALL_RULES);

const PAGE_SET = fieldSet({
  ...CANCEL_ALL_RULES,
  includeHistory: preset(flag, false),
  newestFirst: preset(flag, false),
  limit: preset(whole({ from: 1, to: MAX_LIMIT }), DEFAULT_LIMIT),
  afterOrderId: preset(whole({ to: 0 }), 0),
});

/** The parameters of a page of managed orders. */
export const OPEN_ORDERS_PAGE: RequestShape = { names: PAGE_NAMES, set: PAGE_SET };

/** The parameters of a cancel of all managed orders. */
export const CANCEL_ALL: RequestShape = { names: CANCEL_NAMES, set: CANCEL_ALL_SET };

/**
 * Reads the parameters of GET /api/v3/openOrders.
 * Throws an OrderError: apiManaged missing -1102, not true -1130; symbol, instrumentId or side -1106; limit above
 * 1000 -1102, below 1 -1130; a positive cursor -1130. Source: contract, GET /api/v3/openOrders parameters.
 */
export function readOpenOrdersPage(parameters: Parameters): OpenOrdersPage {
  const fields = PAGE_SET.read(plainFields(parameters, PAGE_NAMES));
  const { includeHistory, newestFirst, limit, afterOrderId } = fields;
  return { includeHistory, newestFirst, limit, afterOrderId, ...actorOf(fields) };
}

/**
 * Reads the parameters of DELETE /api/v3/openOrders. It knows only apiManaged, account and userId, so that a signed
 * page request cannot serve as a cancel-all. Throws an OrderError as {@link readOpenOrdersPage} does.
 * Source: contract, DELETE /api/v3/openOrders.
 */
export function readCancelAll(parameters: Parameters): Actor {
  return actorOf(CANCEL_ALL_SET.read(plainFields(parameters, CANCEL_NAMES)));
}
