import { describe, expect, it } from "vitest";
import { price, quantity, ZERO_QUANTITY } from "../../../src/decimal/index.ts";
import type { ParentIntent, ParentOrder } from "../../../src/model/index.ts";
import { type ManagedOrder, type ManagedOrderContext, managedOrderView } from "../../../src/service/index.ts";
import { openOrder } from "../../store/rules/samples.ts";

const orderOf = (intent: Partial<ParentIntent>, rest: Partial<ParentOrder> = {}): ParentOrder => {
  const { stopPrice: _stopPrice, ...sample } = openOrder({ orderId: -257 }).intent;
  return { ...openOrder({ orderId: -257 }), intent: { ...sample, ...intent }, ...rest };
};

/** The view as a client reads it. */
const seen = (order: ParentOrder, context?: ManagedOrderContext): ManagedOrder =>
  JSON.parse(JSON.stringify(managedOrderView(order, context)));

const trailing = (rest: Partial<ParentIntent>): Partial<ParentIntent> => ({
  type: "TRAILING_STOP_LIMIT",
  limitOffset: price("1.50"),
  ...rest,
});

describe("the public view of a managed order", () => {
  it("contract, managed order fields: members in a fixed order, decimals canonical", () => {
    const order = orderOf(
      {
        type: "STOP_LOSS_LIMIT",
        price: price("7400.10"),
        stopPrice: price("7390"),
        timeInForce: "GTD",
        expireTimeMs: 9_000,
      },
      { lastChildId: "aqc-1-1-1" },
    );
    expect(JSON.stringify(managedOrderView(order, { instrumentId: 7 }))).toBe(
      JSON.stringify({
        symbol: "BTC/USD",
        instrumentId: 7,
        account: 1,
        accountId: 1,
        orderId: -257,
        clientOrderId: "c257",
        clOrdId: "c257",
        orderListId: -1,
        type: "STOP_LOSS_LIMIT",
        side: "SELL",
        origQty: "0.5",
        executedQty: "0.25",
        cummulativeQuoteQty: "1856.225",
        avgPrice: "7424.9",
        price: "7400.1",
        stopPrice: "7390",
        timeInForce: "GTD",
        childTimeInForce: "IOC",
        expireTime: 9_000,
        reduceOnly: false,
        status: "PARTIALLY_FILLED",
        apiState: "WAITING",
        apiManaged: true,
        held: false,
        cancelPending: false,
        lastChildClientOrderId: "aqc-1-1-1",
        transactTime: 500,
        updateTime: 600,
      }),
    );
  });

  it("a snapshot has no reason, ended or not, and no price that does not apply", () => {
    const order = orderOf(
      { type: "STOP_MARKET", stopPrice: price("1") },
      { ended: { status: "REJECTED", reason: "REJECTED_BY_VENUE", atMs: 700 } },
    );
    const view = seen(order);
    expect(view.status).toBe("REJECTED");
    for (const name of ["rejectReason", "reason", "errorMessage", "price", "expireTime", "instrumentId"]) {
      expect(view).not.toHaveProperty(name);
    }
  });

  const ended = (status: "FILLED" | "CANCELED" | "REJECTED" | "EXPIRED") => ({
    ended: { status, reason: "FILLED", atMs: 700 } as const,
  });
  const nothing = { executedQuantity: ZERO_QUANTITY };
  const child = { childId: "aqc-1-1-1", attempt: 1, quantity: quantity("0.1"), state: "SENT" };
  const unknown = { ...child, state: "UNKNOWN" };

  it.each([
    ["NEW", "WAITING", nothing],
    ["NEW", "WORKING", { ...nothing, child }],
    ["NEW", "UNKNOWN", { ...nothing, child: unknown }],
    ["PARTIALLY_FILLED", "WAITING", {}],
    ["PARTIALLY_FILLED", "WORKING", { child }],
    ["PARTIALLY_FILLED", "UNKNOWN", { child: unknown }],
    ["PENDING_NEW", "WAITING", { held: true }],
    ["FILLED", "FILLED", ended("FILLED")],
    ["CANCELED", "CANCELED", ended("CANCELED")],
    ["REJECTED", "REJECTED", ended("REJECTED")],
    ["EXPIRED", "EXPIRED", ended("EXPIRED")],
  ])("contract, managed order fields: status %s, apiState %s", (status, apiState, rest) => {
    expect(managedOrderView(orderOf({}, rest as Partial<ParentOrder>))).toMatchObject({ status, apiState });
  });

  it.each([
    [{ kind: "bps", bps: 150 }, { trailingDelta: 150 }],
    [{ kind: "percent", percent: price("1.50") }, { price2: "1.5" }],
    [{ kind: "amount", amount: price("100.0") }, { trailingAmount: "100" }],
  ] as const)("the distance is returned as it was sent: %j", (distance, shown) => {
    const names = ["trailingDelta", "price2", "trailingAmount"];
    const view = seen(orderOf(trailing({ trailing: distance })));
    expect(Object.fromEntries(Object.entries(view).filter(([name]) => names.includes(name)))).toEqual(shown);
  });

  it("dynamicLimit moves before the trigger and is frozen by it", () => {
    const order = orderOf(trailing({ trailing: { kind: "bps", bps: 100 } }));
    const runningLimit = price("7399");
    expect(seen(order)).not.toHaveProperty("dynamicLimit");
    expect(seen(order, { runningLimit })).toMatchObject({
      limitOffset: "1.5",
      dynamicLimit: "7399",
    });
    const trigger = { level: price("7401"), observed: price("7400"), limit: price("7399.5"), atMs: 600 };
    expect(seen({ ...order, trigger }, { runningLimit }).dynamicLimit).toBe("7399.5");
  });

  it("triggerLevel of a trailing order moves before the trigger; then level and time are those of the trigger", () => {
    const order = orderOf(trailing({ trailing: { kind: "bps", bps: 100 } }));
    const runningLevel = price("7400.5");
    expect(seen(order)).not.toHaveProperty("triggerLevel");
    expect(seen(order, { runningLevel }).triggerLevel).toBe("7400.5");
    expect(seen(order, { runningLevel })).not.toHaveProperty("triggerTime");
    const trigger = { level: price("7401"), observed: price("7400"), atMs: 600 };
    const met = { triggerLevel: "7401", triggerTime: 600 };
    expect(seen({ ...order, trigger }, { runningLevel })).toMatchObject(met);
    const { ended } = { ended: { status: "CANCELED", reason: "USER_CANCELED", atMs: 700 } } as const;
    expect(seen({ ...order, trigger, ended })).toMatchObject(met);
    expect(seen({ ...order, ended }, { runningLevel })).not.toHaveProperty("triggerLevel");
  });

  it("an order that ended before its trigger no longer has a running limit", () => {
    const order = orderOf(trailing({ trailing: { kind: "bps", bps: 100 } }), {
      ended: { status: "CANCELED", reason: "USER_CANCELED", atMs: 700 },
    });
    expect(seen(order, { runningLimit: price("7399") })).not.toHaveProperty("dynamicLimit");
  });

  it("contract, managed order fields: a leg shows its list; -1 means none", () => {
    const list = {
      listId: -256,
      listClientOrderId: "l1",
      contingency: "OTO",
      role: "pending",
      legs: [-513, -257],
    } as const;
    const leg = orderOf({}, { list, held: true, executedQuantity: quantity("0.000001") });
    expect(seen(leg)).toMatchObject({
      orderListId: -256,
      held: true,
      status: "PENDING_NEW",
      apiState: "WAITING",
    });
    expect(seen(orderOf({}))).toMatchObject({ orderListId: -1, held: false });
  });

  it("icebergQty is returned on every type that takes it", () => {
    const parts = { icebergQuantity: quantity("0.10") };
    expect(seen(orderOf({ type: "ICEBERG", ...parts }))).toMatchObject({ icebergQty: "0.1" });
    expect(seen(orderOf({ type: "STOP_LOSS_LIMIT", ...parts }))).toMatchObject({
      icebergQty: "0.1",
    });
    expect(seen(orderOf({ type: "SYNTHETIC_LIMIT" }))).not.toHaveProperty("icebergQty");
  });

  const SCHEDULE_MEMBERS = [
    "targetStrategy",
    "interval",
    "intervalCount",
    "intervalDelay",
    "participationBips",
    "volumeProfile",
    "volumeBenchmark",
    "price",
    "expireTime",
  ];
  const scheduleMembers = (order: ParentOrder): unknown =>
    Object.fromEntries(Object.entries(seen(order)).filter(([name]) => SCHEDULE_MEMBERS.includes(name)));
  const plan = { startsAtMs: 1_500, intervalMs: 60_000, count: 3 };

  it("a TWAP, with its price if it was sent as LIMIT with targetStrategy 180", () => {
    const schedule = { intervalMs: 60_000, intervalCount: 3, intervalDelayMs: 1_000 };
    const until = { timeInForce: "GTD", expireTimeMs: 1_760_000_000_000 } as const;
    const intent = { type: "TWAP", price: price("7000"), schedule } as const;
    expect(scheduleMembers(orderOf(intent, { plan }))).not.toHaveProperty("expireTime");
    expect(scheduleMembers(orderOf({ ...intent, ...until }, { plan }))).toEqual({
      targetStrategy: 180,
      price: "7000",
      expireTime: 1_760_000_000_000,
      interval: 60_000,
      intervalCount: 3,
      intervalDelay: 1_000,
    });
  });

  it("a VWAP with its weights as they were sent, and its benchmark", () => {
    const schedule = { intervalMs: 60_000, intervalDelayMs: 0, weights: [1, 0, 999_999_999_999_999] };
    expect(scheduleMembers(orderOf({ type: "VWAP", schedule }, { plan }))).toEqual({
      targetStrategy: 1_000_002,
      interval: 60_000,
      intervalCount: 3,
      intervalDelay: 0,
      volumeProfile: "1,0,999999999999999",
      volumeBenchmark: "SERVICE_EXECUTED_VOLUME",
    });
  });

  it("a VWAP of the service's own volumes shows the count and the frozen weights of its plan", () => {
    const schedule = { intervalMs: 60_000, intervalDelayMs: 0 };
    const weighted = { ...plan, cumulative: [1, 1, 3] };
    expect(scheduleMembers(orderOf({ type: "VWAP", schedule }, { plan: weighted }))).toEqual({
      targetStrategy: 1_000_002,
      interval: 60_000,
      intervalCount: 3,
      intervalDelay: 0,
      volumeProfile: "1,0,2",
      volumeBenchmark: "SERVICE_EXECUTED_VOLUME",
    });
  });

  it.each(["sent", "from history"])("weights %s are written once for all answers", (source) => {
    const row = Object.assign([1, 1, 3], { reads: 0 });
    const counted = new Proxy(row, {
      get(target, name, receiver) {
        if (name === "join" || name === Symbol.iterator) target.reads++;
        return Reflect.get(target, name, receiver) as unknown;
      },
    });
    const terms = { intervalMs: 60_000, intervalDelayMs: 0 };
    const isSent = source === "sent";
    const schedule = isSent ? { ...terms, weights: counted } : terms;
    const weighted = isSent ? plan : { ...plan, cumulative: counted };
    const order = orderOf({ type: "VWAP", schedule }, { plan: weighted });
    const texts = [order, { ...order, updatedAtMs: 2 }].map((one) => managedOrderView(one).volumeProfile);
    expect(texts).toEqual(isSent ? ["1,1,3", "1,1,3"] : ["1,0,2", "1,0,2"]);
    expect(row.reads).toBe(1);
  });

  it("a POV with its share and its benchmark, without intervals", () => {
    expect(scheduleMembers(orderOf({ type: "POV", participationBips: 1_000 }))).toEqual({
      targetStrategy: 1_000_004,
      participationBips: 1_000,
      volumeBenchmark: "SERVICE_EXECUTED_VOLUME",
    });
  });

  it("I16: amounts beyond the safe integers are exact", () => {
    const order = orderOf({
      stopPrice: price("9999999999.99999999"),
      quantity: quantity("999999999999.999999"),
    });
    expect(seen(order)).toMatchObject({
      stopPrice: "9999999999.99999999",
      origQty: "999999999999.999999",
    });
  });
});
