import type { Database } from "./database.ts";
import { endedListTable } from "./ended-list-table.ts";
import { endedTable } from "./ended-table.ts";
import { journalTable } from "./journal-table.ts";
import { markTable } from "./mark-table.ts";
import { quoteTable } from "./quote-table.ts";
import { snapshotTable } from "./snapshot-table.ts";
import type { Tables } from "./tables.ts";
import { volumeTable } from "./volume-table.ts";

/** Prepares the statements of all tables of a store. */
export function tablesOf(database: Database): Tables {
  return {
    journal: journalTable(database),
    marks: markTable(database),
    volume: volumeTable(database),
    quotes: quoteTable(database),
    snapshots: snapshotTable(database),
    ended: endedTable(database),
    endedLists: endedListTable(database),
  };
}
