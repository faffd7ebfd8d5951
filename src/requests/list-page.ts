import * as z from "zod";
import { OrderError } from "../errors/index.ts";
import type { Parameters } from "../wire/index.ts";
import { type Actor, actorOf, actorShape } from "./actor.ts";
import { type KnownNames, namesOfRead, type RequestShape } from "./known-names.ts";
import { plainFields } from "./plain-fields.ts";
import { readWith } from "./read-with.ts";

/** The newest `limit` lists of a time, both ends included; epoch milliseconds. */
export type ListPage = Actor & Readonly<{ startTimeMs?: number; endTimeMs?: number; limit: number }>;

const NAMES: KnownNames = namesOfRead(["limit", "startTime", "endTime"]);

const DEFAULT_LIMIT = 500;
const MAX_LIMIT = 1_000;

const timeSchema = z.number().int().min(0);

const pageSchema = z.strictObject({
  limit: z.number().int().min(1).max(MAX_LIMIT).default(DEFAULT_LIMIT),
  startTime: timeSchema.optional(),
  endTime: timeSchema.optional(),
  ...actorShape,
});

/** What asks for a page of lists. */
export const LIST_PAGE: RequestShape = { names: NAMES, schema: pageSchema };

/**
 * Reads the parameters of GET /api/v3/openOrderList and /api/v3/allOrderList.
 * Throws an OrderError: limit above 1000 -1102, below 1 -1130; a start after the end -1023; -1104 for a parameter that
 * is not known. Source: contract, List queries; decision 36.
 */
export function readListPage(parameters: Parameters): ListPage {
  const fields = readWith(pageSchema, plainFields(parameters, NAMES));
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
