import { type NativeOrdersSubject, testNativeOrders } from "../../../src/conformance/index.ts";
import { nativeOrdersRules } from "../../../src/conformance/native-orders/native-orders.ts";
import { OrderError } from "../../../src/errors/index.ts";
import type { NativeExecution, NativeOrder } from "../../../src/model/index.ts";
import type { NativeOrders, NativePlaced } from "../../../src/ports/index.ts";
import { paperNative, paperNativePlace } from "../../support/paper-native.ts";
import { testPlantedFaults } from "../../support/planted-faults.ts";
import type { PlantedFault } from "./broken-native.ts";
import { PLANTED } from "./faults.ts";

const subjectOf = ({ mistake, supports, create }: PlantedFault): NativeOrdersSubject => ({
  name: mistake,
  supports: { ...paperNative.supports, ...supports },
  createPlace: () => paperNativePlace(create()),
});

const plainOrder = ({ executedNotional: _, ...order }: NativeOrder): NativeOrder => order;
const plainExecution = (one: NativeExecution): NativeExecution => ({ ...one, order: plainOrder(one.order) });
const plainPlaced = ({ order, fills, created }: NativePlaced): NativePlaced => ({
  order: plainOrder(order),
  fills: fills.map(({ commission: _, commissionAsset: __, ...fill }) => fill),
  created,
});

/** An order flow without any optional part. */
const plain: PlantedFault = {
  mistake: "an order flow without optional parts",
  supports: { cancelIf: false, open: false, byAmount: false, notionals: false, commissions: false },
  create: () => (honest) => {
    const optional = async (order: Promise<NativeOrder | undefined>): Promise<NativeOrder | undefined> =>
      (await order) && plainOrder((await order) as NativeOrder);
    const flow: NativeOrders = {
      isPaperTrade: honest.isPaperTrade,
      async place(placement) {
        if ("quoteQuantity" in placement) throw new OrderError("INVALID_PARAMETER");
        return plainPlaced(await honest.place(placement));
      },
      async findRequest(request) {
        const placed = await honest.findRequest(request);
        return placed && plainPlaced(placed);
      },
      cancel: (key) => optional(honest.cancel(key)),
      find: (key) => optional(Promise.resolve(honest.find(key))),
      page: async (page) => (await honest.page(page)).map(plainOrder),
      executions: async (query) => (await honest.executions(query)).map(plainExecution),
      subscribe: (listener) => honest.subscribe((one) => listener(plainExecution(one))),
    };
    return flow;
  },
};

testPlantedFaults("native orders", {
  declare: testNativeOrders,
  groups: nativeOrdersRules,
  sound: [subjectOf(plain)],
  faults: Object.entries(PLANTED).flatMap(([rule, faults]) =>
    faults.map((fault) => ({ fault: fault.mistake, breaks: [rule], subject: subjectOf(fault) })),
  ),
});
