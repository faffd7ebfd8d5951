/** Exports of the folder to other folders of this package. They are not part of the package's interface. */
export { afterMs } from "./after-ms.ts";
export { allRows, copyRows } from "./copy.ts";
export { headIn, headKey, Owned, type RecordPlace, recordKey } from "./journal.ts";
export { prunedJournalOption, type RetainRecords } from "./leaving.ts";
export { RestoredStore, type RewindTarget } from "./rewind.ts";
export { headerIn, headerKey } from "./snapshots.ts";
export { storeOn, storeOptions } from "./store.ts";
export { type RowsVerification, type VerifiedHead, verifiedHeads, verifyRows } from "./whole.ts";
