import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Bytes of the heap that are still referenced. */
export function liveBytes(): number {
  collect();
  return getHeapStatistics().used_heap_size;
}
