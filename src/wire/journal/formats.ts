import type { JournalRecord, ParentIntent, ParentOrder } from "../../model/index.ts";
import type { Kind } from "./schema.ts";
import { intent } from "./v1/order.ts";
import { parent } from "./v1/parent.ts";
import { record } from "./v1/record.ts";

/** One format of the texts: the number that they begin with, the schema of each kind of row, and that of an intent in them. */
export type Format = Readonly<{
  version: number;
  record: Kind<JournalRecord>;
  parent: Kind<ParentOrder>;
  intent: Kind<ParentIntent>;
}>;

const FIRST: Format = { version: 1, record, parent, intent };

/** Every format that was ever written: each is read for ever. What the reader of one would misread is another one. */
export const FORMATS: ReadonlyMap<unknown, Format> = new Map([[FIRST.version, FIRST]]);

/** The format that is written now. */
export const WRITTEN: Format = FIRST;
