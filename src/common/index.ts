export { follow, isAwaited } from "./awaitable.ts";
export { durationText } from "./duration-text.ts";
export { errorCode, errorMessage, errorName, isError, recognisedAs } from "./error-text.ts";
export { FairQueue, type Queued } from "./fair-queue.ts";
export { deviceProblem, fileProblem, linksProblem } from "./file-problem.ts";
export { ADDRESS_BITS, networkOf, parseAddress, V4_BITS } from "./ip-address.ts";
export { KeyedMutex } from "./keyed-mutex.ts";
export { type Keyed, KeyedTable } from "./keyed-table.ts";
export {
  flagOption,
  functionOption,
  listOption,
  nameOption,
  nearestName,
  numberOption,
  type OptionCheck,
  type OptionChecks,
  objectOption,
  optionalOption,
  optionsOf,
  portOption,
  recordOption,
  sharedSecretOption,
  textOption,
  uncheckedOption,
  wholeOption,
  wordOption,
  wrongOption,
} from "./options.ts";
export { partitionPoint } from "./partition-point.ts";
export { Pause, pause, withDeadline } from "./pause.ts";
export { createRandom, type Random } from "./random.ts";
export { nextTurn, Slicer } from "./slicer.ts";
export { hashOf } from "./text-hash.ts";
