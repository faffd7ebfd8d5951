export { follow, isAwaited } from "./awaitable.ts";
export { errorCode, errorMessage, errorName } from "./error-text.ts";
export { KeyedMutex } from "./keyed-mutex.ts";
export { type Keyed, KeyedTable } from "./keyed-table.ts";
