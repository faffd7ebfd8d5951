export { KeyedMutex } from "./keyed-mutex.ts";
