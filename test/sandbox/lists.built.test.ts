import { describe, expect, it } from "vitest";
import {
  CRASH_POINTS,
  type CrashPoint,
  DrivenSandbox,
  type Fields,
  factsOf,
  type List,
  type Order,
  SECOND_MS,
  type ShownRecord,
  SYMBOL,
} from "./driven-sandbox.ts";

const statusesOf = ({ orderReports }: List): readonly string[] => orderReports.map(({ status }) => status);

/** The number of the record in the list's journal that contains this fact of an order; -1 if there is none. */
const recordOf = (records: readonly ShownRecord[], orderId: number, kind: string): number =>
  records.findIndex((record) => factsOf([record], orderId).some((fact) => fact.kind === kind));

const hasFact = (records: readonly ShownRecord[], orderId: number, fact: object): boolean =>
  factsOf(records, orderId).some((one) =>
    Object.entries(fact).every(([name, value]) => one[name as keyof typeof one] === value),
  );

/**
 * I40: the loser was canceled in the journal, with that reason, no later than the winner's first child was intended,
 * and neither journal nor venue has a child of it.
 */
async function checkWinner(
  sandbox: DrivenSandbox,
  list: List,
  legs: Readonly<{ winner: Order; loser: Order }>,
): Promise<void> {
  const { winner, loser } = legs;
  const records = await sandbox.listJournal(list.orderListId);
  const ended = recordOf(records, loser.orderId, "ENDED");
  const intended = recordOf(records, winner.orderId, "CHILD_INTENDED");
  expect(hasFact(records, loser.orderId, { kind: "ENDED", status: "CANCELED", reason: "OCO_TRIGGER" })).toBe(
    true,
  );
  expect(ended).toBeGreaterThanOrEqual(0);
  expect(intended).toBeGreaterThanOrEqual(ended);
  expect(recordOf(records, loser.orderId, "CHILD_INTENDED")).toBe(-1);
  expect(await sandbox.children(loser.orderId)).toEqual([]);
  for (const { time } of await sandbox.children(winner.orderId)) {
    expect(time).toBeGreaterThanOrEqual(records[ended]?.timeMs ?? Number.POSITIVE_INFINITY);
  }
}

describe("OTOCO: entry in two parts, then the protective leg", () => {
  const OTOCO: Fields = {
    symbol: SYMBOL,
    listClientOrderId: "otoco",
    workingType: "LIMIT",
    workingSide: "BUY",
    workingPrice: "100",
    workingQuantity: "1",
    pendingSide: "SELL",
    pendingQuantity: "1",
    pendingAboveType: "LIMIT",
    pendingAbovePrice: "120",
    pendingAboveReduceOnly: true,
    pendingBelowType: "STOP_LOSS",
    pendingBelowStopPrice: "90",
    pendingBelowReduceOnly: true,
  };

  const place = (sandbox: DrivenSandbox): Promise<List> =>
    sandbox.asks("POST", "/api/v3/orderList/otoco", OTOCO);

  /** Three steps of the list: the action that causes each, and the check that it happened. */
  const STEPS = [
    {
      what: "the first part of the entry",
      act: (sandbox: DrivenSandbox) => sandbox.quote("99", "100", { askQuantity: "0.4" }),
      isDone: ({ orderReports: [entry] }: List) => entry?.executedQty === "0.4",
    },
    {
      what: "its second part, which releases the exits",
      act: (sandbox: DrivenSandbox) => sandbox.quote("99", "100", { askQuantity: "0.6" }),
      isDone: ({ orderReports: [entry] }: List) => entry?.status === "FILLED",
    },
    {
      what: "the stop, which wins",
      act: (sandbox: DrivenSandbox) => sandbox.quote("89", "90"),
      isDone: ({ orderReports: [, protective] }: List) => protective?.status === "FILLED",
    },
  ] as const;
  type Step = (typeof STEPS)[number];

  /** Checks after each step. */
  async function checkStep(sandbox: DrivenSandbox, placed: List, step: number): Promise<void> {
    const list = await sandbox.list(placed.orderListId);
    const expected = [
      ["PARTIALLY_FILLED", "PENDING_NEW", "PENDING_NEW"],
      ["FILLED", "NEW", "NEW"],
      ["FILLED", "FILLED", "CANCELED"],
    ];
    expect(statusesOf(list)).toEqual(expected[step]);
    expect(list.orderReports.map(({ held }) => held)).toEqual([false, step === 0, step === 0]);
    expect(list.listOrderStatus).toBe(step === 2 ? "ALL_DONE" : "EXECUTING");
    const exits = placed.orderReports.slice(1);
    const records = await sandbox.listJournal(placed.orderListId);
    for (const { orderId } of exits) {
      const released = factsOf(records, orderId).filter(({ kind }) => kind === "RELEASED");
      expect(released).toHaveLength(step === 0 ? 0 : 1);
    }
  }

  /** I41: legs were released in the record of the fill that completed the entry. */
  async function checkRelease(sandbox: DrivenSandbox, { orderListId, orderReports }: List): Promise<void> {
    const records = await sandbox.listJournal(orderListId);
    const [entry, ...exits] = orderReports.map(({ orderId }) => orderId);
    for (const exit of exits) {
      const released = records[recordOf(records, exit, "RELEASED")];
      expect(hasFact(released === undefined ? [] : [released], entry as number, { kind: "FILLED" })).toBe(
        true,
      );
    }
  }

  /** Both levels of the exits are crossed while they are held: nothing may result (complaint 3). */
  async function crossExits(sandbox: DrivenSandbox): Promise<void> {
    await sandbox.quote("125", "126");
    await sandbox.quote("89", "100.5");
  }

  async function finish(sandbox: DrivenSandbox, placed: List): Promise<void> {
    const [entry, protective, profit] = placed.orderReports as [Order, Order, Order];
    await checkRelease(sandbox, placed);
    await checkWinner(sandbox, placed, { winner: protective, loser: profit });
    await sandbox.quote("130", "131");
    await sandbox.quote("80", "81");
    expect(statusesOf(await sandbox.list(placed.orderListId))).toEqual(["FILLED", "FILLED", "CANCELED"]);
    const executed = async ({ orderId }: Order): Promise<string> =>
      (await sandbox.order(orderId)).executedQty;
    expect([await executed(entry), await executed(protective), await executed(profit)]).toEqual([
      "1",
      "1",
      "0",
    ]);
    expect((await place(sandbox)).orderListId).toBe(placed.orderListId);
  }

  it("I40, I41, complaints 1, 3: a partial fill releases nothing, the full one releases once; the stop wins, the limit is canceled before its child", async () => {
    const sandbox = await DrivenSandbox.start();
    await sandbox.quote("100", "101");
    const placed = await place(sandbox);
    for (const [index, step] of STEPS.entries()) {
      await step.act(sandbox);
      await checkStep(sandbox, placed, index);
      if (index === 0) await crossExits(sandbox);
      if (index === 0) await checkStep(sandbox, placed, index);
    }
    expect(await sandbox.children()).toHaveLength(3);
    await finish(sandbox, placed);
  });

  /** Crashes in a step, checks the result, and repeats the step if nothing happened. */
  async function crashIn(
    sandbox: DrivenSandbox,
    placed: List,
    at: Readonly<{ point: CrashPoint; step: Step }>,
  ): Promise<void> {
    const { point, step } = at;
    await sandbox.crashAt(point, () => step.act(sandbox));
    await sandbox.recover();
    for (let tries = 0; tries < 3 && !step.isDone(await sandbox.list(placed.orderListId)); tries++) {
      await step.act(sandbox);
      await sandbox.pass(SECOND_MS);
    }
  }

  it.each(CRASH_POINTS)(
    "I40-I42, complaints 13, 15: SIGKILL %s in each of the three steps: held until the full fill, released once, one winner",
    async (point) => {
      const sandbox = await DrivenSandbox.start();
      await sandbox.quote("100", "101");
      const placed = await place(sandbox);
      for (const [index, step] of STEPS.entries()) {
        await crashIn(sandbox, placed, { point, step });
        await checkStep(sandbox, placed, index);
        if (index === 0) await crossExits(sandbox);
        if (index === 0) await checkStep(sandbox, placed, index);
      }
      await finish(sandbox, placed);
    },
  );

  it("I42, decision 35: an entry that is canceled when half filled cancels its exits; the fill stays", async () => {
    const sandbox = await DrivenSandbox.start();
    await sandbox.quote("100", "101");
    const placed = await place(sandbox);
    await STEPS[0].act(sandbox);
    await sandbox.restart();
    const [entry] = placed.orderReports;
    const canceled = await sandbox.asks<List>("DELETE", "/api/v2/order", {
      symbol: SYMBOL,
      orderId: entry?.orderId ?? 0,
    });
    expect([canceled.listOrderStatus, ...statusesOf(canceled)]).toEqual([
      "ALL_DONE",
      "CANCELED",
      "CANCELED",
      "CANCELED",
    ]);
    expect(canceled.orderReports[0]?.executedQty).toBe("0.4");
    await sandbox.quote("89", "90");
    expect(await sandbox.children()).toHaveLength(1);
  });
});

describe("OCO: both legs on one quote", () => {
  /** The trail's reference moves beyond the limit on quotes without size; then one quote crosses both. */
  const PAIRS = {
    SELL: {
      fields: {
        side: "SELL",
        aboveType: "LIMIT",
        abovePrice: "110",
        belowType: "TRAILING_STOP_MARKET",
        belowTrailingDelta: 500,
      },
      before: ["100", "101"],
      extreme: (sandbox: DrivenSandbox) => sandbox.quote("130", "131", { bidQuantity: "0.000001" }),
      both: (sandbox: DrivenSandbox) => sandbox.quote("120", "121"),
    },
    BUY: {
      fields: {
        side: "BUY",
        aboveType: "TRAILING_STOP_MARKET",
        aboveTrailingDelta: 500,
        belowType: "LIMIT",
        belowPrice: "90",
      },
      before: ["99", "100"],
      extreme: (sandbox: DrivenSandbox) => sandbox.quote("69", "70", { askQuantity: "0.000001" }),
      both: (sandbox: DrivenSandbox) => sandbox.quote("79", "80"),
    },
  } as const;
  const SIDES = ["SELL", "BUY"] as const;

  async function placePair(sandbox: DrivenSandbox, side: keyof typeof PAIRS): Promise<List> {
    const { fields, before, extreme } = PAIRS[side];
    await sandbox.quote(before[0], before[1]);
    const pair = { symbol: SYMBOL, listClientOrderId: "pair", quantity: "1", ...fields };
    const placed = await sandbox.asks<List>("POST", "/api/v3/orderList/oco", pair);
    await sandbox.quote(before[0], before[1]);
    await extreme(sandbox);
    expect(statusesOf(await sandbox.list(placed.orderListId))).toEqual(["NEW", "NEW"]);
    expect(await sandbox.children()).toEqual([]);
    return placed;
  }

  async function checkProtected(sandbox: DrivenSandbox, placed: List): Promise<void> {
    const [protective, profit] = placed.orderReports as [Order, Order];
    const list = await sandbox.list(placed.orderListId);
    expect([list.listOrderStatus, ...statusesOf(list)]).toEqual(["ALL_DONE", "FILLED", "CANCELED"]);
    await checkWinner(sandbox, placed, { winner: protective, loser: profit });
  }

  it.each(SIDES)(
    "decision 20, I40: %s: the protective leg wins and is the only one with a child",
    async (side) => {
      const sandbox = await DrivenSandbox.start();
      const placed = await placePair(sandbox, side);
      await PAIRS[side].both(sandbox);
      expect(await sandbox.children()).toHaveLength(1);
      await checkProtected(sandbox, placed);
    },
  );

  it.each(SIDES)(
    "decision 20: %s: without the protective level the limit wins on the same market",
    async (side) => {
      const sandbox = await DrivenSandbox.start();
      const placed = await placePair(sandbox, side);
      await (side === "SELL" ? sandbox.quote("129", "130") : sandbox.quote("70", "71"));
      const list = await sandbox.list(placed.orderListId);
      expect(statusesOf(list)).toEqual(["CANCELED", "FILLED"]);
      const [protective, profit] = placed.orderReports as [Order, Order];
      await checkWinner(sandbox, placed, { winner: profit, loser: protective });
    },
  );

  it.each(CRASH_POINTS)(
    "decision 20, I40: SIGKILL %s: the protective leg has won, or wins again after the restart",
    async (point) => {
      const sandbox = await DrivenSandbox.start();
      const placed = await placePair(sandbox, "SELL");
      await sandbox.crashAt(point, () => PAIRS.SELL.both(sandbox));
      await sandbox.recover();
      for (let tries = 0; tries < 3; tries++) {
        await PAIRS.SELL.both(sandbox);
        await sandbox.pass(SECOND_MS);
      }
      await checkProtected(sandbox, placed);
    },
  );
});
