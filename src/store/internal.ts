/** Exports of the folder to other folders of this package. They are not part of the package's interface. */
export { afterMs } from "./after-ms.ts";
export { allRows, copyRows } from "./copy.ts";
export { Ended, listIn } from "./ended.ts";
export { headIn, headKey, Journal, Owned, type RecordPlace, recordKey } from "./journal.ts";
export { numberIn, partsOf, under, unescaped } from "./keys.ts";
export type { KeepRecords } from "./leaving.ts";
export { banIn } from "./limits.ts";
export { Market } from "./market.ts";
export { rejectionIn } from "./rejections.ts";
export { RestoredStore, type RewindTarget } from "./rewind.ts";
export { Rows } from "./rows.ts";
export { headerIn, headerKey, Snapshots } from "./snapshots.ts";
export { storeOn, storeOptions } from "./store.ts";
export { type RowsVerification, type VerifiedHead, verifiedHeads, verifyRows } from "./whole.ts";
