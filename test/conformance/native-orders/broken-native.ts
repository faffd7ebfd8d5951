import type { NativeOrdersSupport } from "../../../src/conformance/index.ts";
import type { NativeExecution, NativeOrder } from "../../../src/model/index.ts";
import type { NativeKey, NativeOrders, NativePlaced, NativePlacement } from "../../../src/ports/index.ts";
import type { NativeChange } from "../../support/paper-native.ts";

/** A mistake of an adapter, and the manifest under which the suite must find it. */
export type PlantedFault = Readonly<{
  mistake: string;
  supports?: Partial<NativeOrdersSupport>;
  /** Returns a fresh change for each test. */
  create: () => NativeChange;
}>;

/** Replaces members of the honest order flow. */
export const changed =
  (change: (honest: NativeOrders) => Partial<NativeOrders>): PlantedFault["create"] =>
  () =>
  (honest) => {
    const own: NativeOrders = {
      isPaperTrade: honest.isPaperTrade,
      place: (placement) => honest.place(placement),
      findRequest: (request) => honest.findRequest(request),
      cancel: (key) => honest.cancel(key),
      cancelIf: (key, restriction) => honest.cancelIf?.(key, restriction) as never,
      find: (key) => honest.find(key),
      page: (page) => honest.page(page),
      open: (query) => honest.open?.(query) as never,
      executions: (query) => honest.executions(query),
      subscribe: (listener) => honest.subscribe(listener),
    };
    return { ...own, ...change(honest) };
  };

/** Changes every answer to a placement. */
export const placed = (change: (placed: NativePlaced) => object): PlantedFault["create"] =>
  changed((honest) => ({
    place: async (placement) => change(await honest.place(placement)) as NativePlaced,
  }));

/** Changes every order in an answer. */
export const ordered = (change: (order: NativeOrder) => object): PlantedFault["create"] =>
  changed((honest) => ({
    async place(placement) {
      const answer = await honest.place(placement);
      return { ...answer, order: change(answer.order) as NativeOrder };
    },
    async find(key) {
      const order = await honest.find(key);
      return order && (change(order) as NativeOrder);
    },
  }));

/** Changes what is placed. */
export const sending = (change: (placement: NativePlacement) => object): PlantedFault["create"] =>
  changed((honest) => ({ place: (placement) => honest.place(change(placement) as NativePlacement) }));

export const filling = (change: (fill: NativePlaced["fills"][number]) => object): PlantedFault["create"] =>
  placed((answer) => ({ ...answer, fills: answer.fills.map(change) }));

export const executing = (
  change: (executions: readonly NativeExecution[]) => readonly object[],
): PlantedFault["create"] =>
  changed((honest) => ({
    executions: async (query) => change(await honest.executions(query)) as readonly NativeExecution[],
  }));

export const paging = (
  change: (orders: readonly NativeOrder[]) => readonly object[],
): PlantedFault["create"] =>
  changed((honest) => ({ page: async (page) => change(await honest.page(page)) as readonly NativeOrder[] }));

export const isIn = (placement: NativePlacement, type: string): boolean =>
  "timeInForce" in placement && placement.timeInForce === type;

export const isListed = ({ symbol }: Readonly<{ symbol?: string }>): boolean => symbol !== "NOWHERE/USD";

export const noSuchMarket = (): never => {
  throw new Error("no such market");
};

let keys = 0;
export const freshKey = (placement: object): object => ({ ...placement, requestKey: `fresh-${++keys}` });
let names = 0;
export const freshName = (placement: NativePlacement): object => ({
  ...placement,
  clientOrderId: `${placement.clientOrderId}-${++names}`,
});

/** Makes each market order that has a member buy. */
export const buying =
  (member: "quantity" | "quoteQuantity") =>
  (placement: NativePlacement): object =>
    placement.type === "MARKET" && member in placement ? { ...placement, side: "BUY" } : placement;

/** Sends every order to one market, and reports it in its own. */
export const inOneMarket = (): PlantedFault["create"] =>
  changed((honest) => ({
    async place(placement) {
      const { order, ...answer } = await honest.place({ ...placement, symbol: "BTC/USD" });
      return { ...answer, order: { ...order, symbol: placement.symbol } };
    },
  }));

const CENT = 1_000_000n;

export const roundedDown = (placement: NativePlacement): object =>
  "price" in placement ? { ...placement, price: Number((BigInt(placement.price) / CENT) * CENT) } : placement;

export function roundedUp(placement: NativePlacement): object {
  if (!("price" in placement)) return placement;
  const price = ((BigInt(placement.price) + CENT - 1n) / CENT) * CENT;
  return { ...placement, price: Number(price) };
}

export const ownName = (placement: NativePlacement): object => ({
  ...placement,
  clientOrderId: `${placement.symbol} ${placement.clientOrderId}`,
});

/** Rejects with another error in place of a refusal. */
export function failing(other: (error: Error) => Error): PlantedFault["create"] {
  return changed((honest) => ({
    place: (placement) => honest.place(placement).catch((error: Error) => Promise.reject(other(error))),
  }));
}

export function canceling(change: (order: NativeOrder) => object): PlantedFault["create"] {
  return changed((honest) => ({
    async cancel(key) {
      const order = await honest.cancel(key);
      return order && (change(order) as NativeOrder);
    },
  }));
}

/** Keeps request keys without their account. */
export function sharedKeys(): NativeChange {
  const seen = new Map<string, NativePlaced>();
  return changed((honest) => ({
    async place(placement) {
      const answer = seen.get(placement.requestKey);
      if (answer !== undefined) return { ...answer, created: false };
      const fresh = await honest.place(placement);
      seen.set(placement.requestKey, fresh);
      return fresh;
    },
  }))();
}

export const anyAccount =
  (honest: NativeOrders) =>
  async (key: NativeKey): Promise<NativeOrder | undefined> =>
    (await honest.cancel(key)) ?? (await honest.cancel({ ...key, accountId: 1 }));

export const lower = (key: NativeKey): NativeKey =>
  "clientOrderId" in key ? { ...key, clientOrderId: key.clientOrderId.toLowerCase() } : key;

/** The id that a double makes of an id and the one after it. */
export const nearest = (key: NativeKey & Readonly<{ orderId: bigint }>): NativeKey => ({
  ...key,
  orderId: key.orderId % 2n === 0n ? key.orderId - 1n : key.orderId,
});

export function firstByName(): NativeChange {
  return changed((honest) => ({
    async find(key) {
      if (!("clientOrderId" in key)) return await honest.find(key);
      const page = await honest.page({ ...key, fromOrderId: 1n, limit: 1 });
      return page[0];
    },
  }))();
}

/** Forgets, in each process, the request keys of the process before. */
export function memoryKeys(): NativeChange {
  let process = 0;
  return (honest) => {
    const number = ++process;
    return changed((flow) => ({
      place: (placement) => flow.place({ ...placement, requestKey: `${number} ${placement.requestKey}` }),
    }))()(honest);
  };
}

/** Reads, in each process after the first, only the request keys of open orders. */
export function endedKeys(): NativeChange {
  let process = 0;
  return (honest) => {
    const isFirst = ++process === 1;
    return changed((flow) => ({
      async place(placement) {
        const status = (await flow.findRequest(placement))?.order.status ?? "NEW";
        return await flow.place(isFirst || status === "NEW" ? placement : (freshKey(placement) as never));
      },
    }))()(honest);
  };
}

export function memoryExecutions(): NativeChange {
  let process = 0;
  return (honest) => {
    const isFirst = ++process === 1;
    return changed((flow) => ({ executions: (query) => (isFirst ? flow.executions(query) : []) }))()(honest);
  };
}

export function memoryPage(): NativeChange {
  let process = 0;
  return (honest) => {
    const isFirst = ++process === 1;
    return changed((flow) => ({ page: (page) => (isFirst ? flow.page(page) : []) }))()(honest);
  };
}
