import type { EndedListTable } from "./ended-list-table.ts";
import type { EndedTable } from "./ended-table.ts";
import type { JournalTable } from "./journal-table.ts";
import type { MarkTable } from "./mark-table.ts";
import type { QuoteTable } from "./quote-table.ts";
import type { SnapshotTable } from "./snapshot-table.ts";
import type { VolumeTable } from "./volume-table.ts";

/** The tables of an order store. */
export type Tables = Readonly<{
  journal: JournalTable;
  marks: MarkTable;
  volume: VolumeTable;
  quotes: QuoteTable;
  snapshots: SnapshotTable;
  ended: EndedTable;
  endedLists: EndedListTable;
}>;
