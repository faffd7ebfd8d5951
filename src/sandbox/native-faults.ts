import type { NativeOrders } from "../ports/index.ts";

/** fail: nothing that is asked of native orders is answered, as when their database is down; nothing is done either. */
export type NativeFaultMode = "none" | "fail";

/** Native orders that fail as asked. */
export type FaultyNative = Readonly<{
  native: NativeOrders;
  setNativeFault: (mode: NativeFaultMode) => void;
}>;

/** Puts native orders behind faults. Children of managed parents reach the venue all the same. */
export function withNativeFaults(orders: NativeOrders): FaultyNative {
  let mode: NativeFaultMode = "none";
  const asked = async <T>(ask: () => T | Promise<T>): Promise<T> => {
    if (mode === "fail") throw new Error("native orders were told to fail");
    return await ask();
  };
  return {
    native: {
      isPaperTrade: orders.isPaperTrade,
      place: (placement) => asked(() => orders.place(placement)),
      findRequest: (request) => asked(() => orders.findRequest(request)),
      cancel: (key) => asked(() => orders.cancel(key)),
      find: (key) => asked(() => orders.find(key)),
      page: (page) => asked(() => orders.page(page)),
      executions: (query) => asked(() => orders.executions(query)),
      subscribe: (listener) => orders.subscribe(listener),
    },
    setNativeFault: (next) => {
      mode = next;
    },
  };
}
