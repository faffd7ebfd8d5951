import { OrderError } from "../errors/index.ts";
import type { Parameters } from "../wire/index.ts";
import { ACTOR_RULES, type Actor, actorOf } from "./actor.ts";
import { timeRule } from "./field-rules.ts";
import { fieldSet, type RequestShape } from "./field-set.ts";
import { type KnownNames, namesOfRead } from "./known-names.ts";
import { plainFields } from "./plain-fields.ts";
import { optionalField, preset, whole } from "./rule.ts";

/** The newest `limit` lists of a time range. Both ends are included, in epoch milliseconds. */
export type ListPage = Actor & Readonly<{ startTimeMs?: number; endTimeMs?: number; limit: number }>;

const NAMES: KnownNames = namesOfRead(["limit", "startTime", "endTime"]);

const DEFAULT_LIMIT = 500;
const MAX_LIMIT = 1_000;

const PAGE_SET = fieldSet({
  limit: preset(whole({ from: 1, to: MAX_LIMIT }), DEFAULT_LIMIT),
  startTime: optionalField(timeRule),
  endTime: optionalField(timeRule),
  ...ACTOR_RULES,
});

/** The parameters of a page of lists. */
export const LIST_PAGE: RequestShape = { names: NAMES, set: PAGE_SET };

/**
 * Reads the parameters of GET /api/v3/openOrderList and /api/v3/allOrderList.
 * Throws an OrderError: limit above 1000 -1102, below 1 -1130; a start after the end -1023; -1104 for an unknown
 * parameter. Source: contract, List queries; decision 36.
 */
export function readListPage(parameters: Parameters): ListPage {
  const fields = PAGE_SET.read(plainFields(parameters, NAMES));
  const { limit, startTime, endTime } = fields;
  if (startTime !== undefined && endTime !== undefined && startTime > endTime) {
    throw new OrderError("TIMES_REVERSED", { field: "startTime" });
  }
  return {
    ...(startTime !== undefined && { startTimeMs: startTime }),
    ...(endTime !== undefined && { endTimeMs: endTime }),
    limit,
    ...actorOf(fields),
  };
}
