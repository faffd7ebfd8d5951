export { follow, isAwaited } from "./awaitable.ts";
export { errorCode, errorMessage, errorName } from "./error-text.ts";
export { KeyedMutex } from "./keyed-mutex.ts";
