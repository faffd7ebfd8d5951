export { errorName } from "./error-name.ts";
export { KeyedMutex } from "./keyed-mutex.ts";
