export { errorCode, errorMessage, errorName } from "./error-text.ts";
export { KeyedMutex } from "./keyed-mutex.ts";
