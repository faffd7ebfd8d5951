import { describe, expect, it } from "vitest";
import type { NativeStatus } from "../../../src/model/index.ts";
import type { RequestParameters } from "../../../src/signing/index.ts";
import { type AccountWorld, ENTRANCES, openAccountWorld, SUBJECT } from "../../support/entrances.ts";
import {
  ask,
  cancel,
  openNativeWorld,
  placeNative,
  read,
  reportedOrder,
} from "../../support/native-world.ts";
import { KEYS, place, type Reply } from "../../support/service-world.ts";

const STATUS = ["/api/v2/order", "/api/v2/getOrderStatus", "/api/v2/orderStatus"];
const HISTORY = ["/api/v2/allOrders", "/api/v2/getOrderHistory"];
const ALIASES = ["origClientOrderId", "clientOrderId", "clOrdId", "clordid"];

const rowsOf = ({ body }: Reply): readonly Readonly<Record<string, unknown>>[] =>
  body as unknown as readonly Readonly<Record<string, unknown>>[];

describe.each(ALIASES)("contract, Native status and history: the client id as %s", (alias) => {
  it.each(STATUS)("%s finds native and managed orders by it, letter for letter", async (path) => {
    const world = await openNativeWorld();
    await placeNative(world, { newClientOrderId: "Native" });
    const native = await placeNative(world, { newClientOrderId: "native" });
    const parent = await place(world, { newClientOrderId: "Parent" });
    const idBy = async (clientId: string): Promise<unknown> => {
      const { body } = await read(world, path, { [alias]: clientId });
      return body.orderId ?? body.code;
    };
    expect(await idBy("native")).toBe(native.body.orderId);
    expect(await idBy("Parent")).toBe(parent.body.orderId);
    for (const other of ["NATIVE", "parent", "PARENT", "nativ"])
      expect([other, await idBy(other)]).toEqual([other, -2013]);
  });

  it.each(HISTORY)("%s is filtered by it, letter for letter", async (path) => {
    const world = await openNativeWorld();
    for (const newClientOrderId of ["one", "One", "two"]) await placeNative(world, { newClientOrderId });
    const named = async (clientId: string): Promise<unknown> =>
      rowsOf(await read(world, path, { [alias]: clientId })).map(({ clientOrderId }) => clientOrderId);
    expect([await named("one"), await named("two"), await named("TWO")]).toEqual([["one"], ["two"], []]);
  });

  it("POST /api/v2/getOrderHistory is filtered by it, letter for letter", async () => {
    const world = await openNativeWorld();
    for (const newClientOrderId of ["one", "One", "two"]) await placeNative(world, { newClientOrderId });
    const named = async (clientId: string): Promise<unknown> => {
      const { body } = await ask(world, "/api/v2/getOrderHistory", { [alias]: clientId });
      return (body.orders as ReturnType<typeof rowsOf>).map(({ clientOrderId }) => clientOrderId);
    };
    expect([await named("one"), await named("two"), await named("TWO")]).toEqual([["one"], ["two"], []]);
  });
});

it("contract, Native status and history: a client id finds its newest order, and an orderId each one", async () => {
  const world = await openNativeWorld();
  const ids: unknown[] = [];
  for (let n = 0; n < 3; n++) {
    ids.push((await placeNative(world, { newClientOrderId: "used" })).body.orderId);
    if (n < 2) await cancel(world, { orderId: ids[n] as bigint });
  }
  const idBy = async (query: RequestParameters): Promise<unknown> =>
    (await read(world, "/api/v2/order", query)).body.orderId;
  expect(new Set(ids).size).toBe(3);
  expect(await idBy({ clOrdId: "used" })).toBe(ids[2]);
  for (const orderId of ids as bigint[])
    expect([await idBy({ orderId }), await idBy({ orderId, clOrdId: "used" })]).toEqual([orderId, orderId]);
});

describe("contract, Native status and history: allOrders", () => {
  const STATUSES: readonly NativeStatus[] = [
    "NEW",
    "PARTIALLY_FILLED",
    "FILLED",
    "CANCELED",
    "EXPIRED",
    "REJECTED",
  ];

  it.each(HISTORY)("%s shows orders of each status, as the status route does", async (path) => {
    const orders = STATUSES.map((status, n) =>
      reportedOrder({ status, orderId: BigInt(n + 1), clientOrderId: `c-${n}` }),
    );
    const world = await openNativeWorld({}, () => ({
      page: () => orders,
      find: (key) => orders.find(({ orderId }) => "orderId" in key && orderId === key.orderId),
    }));
    const shown = rowsOf(await read(world, path));
    expect(shown.map(({ orderId, status }) => [orderId, status])).toEqual(
      STATUSES.map((status, n) => [n + 1, status]),
    );
    for (const [n, row] of shown.entries())
      expect(row).toEqual((await read(world, "/api/v2/order", { orderId: n + 1 })).body);
  });
});

describe("contract, Native status and history: these routes place and cancel nothing", () => {
  /** The complete state of both accounts: records, children, parents, native orders and their executions. */
  async function stateOf(world: AccountWorld): Promise<unknown> {
    const ofAccount = async (accountId: number): Promise<unknown> => [
      await world.engine.page({
        ...{ accountId, includeHistory: true, newestFirst: false, limit: 100, afterOrderId: 0 },
      }),
      await world.paper.native.executions({ accountId, limit: 100 }),
      world.paper.balances(accountId),
    ];
    const { records } = world.engine.metrics();
    return [records, world.venue.submitted.length, await ofAccount(1), await ofAccount(SUBJECT)];
  }

  it.each(ENTRANCES.filter(({ access }) => access === "READ"))("$name", async (entrance) => {
    const world = await openAccountWorld();
    const before = await stateOf(world);
    expect((await entrance.ask(world, { key: KEYS.stranger })).status).toBe(200);
    await entrance.ask(world, { key: KEYS.stranger, extra: { symbol: "DOGE/USD" } });
    expect(await stateOf(world)).toEqual(before);
  });
});
