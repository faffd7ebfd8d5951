import type { JournalRecord, ParentIntent, ParentOrder } from "../../model/index.ts";
import type { Kind } from "./schema.ts";
import { intent } from "./v1/order.ts";
import { parent } from "./v1/parent.ts";
import { record } from "./v1/record.ts";

/**
 * A format of the texts: its version number, which the texts begin with, the schema of each kind of row, and the
 * schema of an intent in them.
 */
export type Format = Readonly<{
  version: number;
  record: Kind<JournalRecord>;
  parent: Kind<ParentOrder>;
  intent: Kind<ParentIntent>;
}>;

const FIRST: Format = { version: 1, record, parent, intent };

/**
 * Every format that was ever written. All of them stay readable forever. A change that an existing reader would
 * misread needs a new format.
 */
export const FORMATS: ReadonlyMap<unknown, Format> = new Map([[FIRST.version, FIRST]]);

/** The format of new texts. */
export const WRITTEN: Format = FIRST;
