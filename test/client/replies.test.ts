import { describe, expect, expectTypeOf, it } from "vitest";
import type {
  CancelAllReply,
  LegIdentityReply,
  ManagedOrderReply,
  NativeOrderReply,
  OrderListReply,
} from "../../src/client/index.ts";
import {
  CANCEL_ALL,
  CANCELED_MANAGED_ORDER,
  CANCELED_NATIVE_ORDER,
  CANCELED_ORDER_LIST,
  DAY_TICKER,
  EXCHANGE_INFO,
  EXECUTION,
  FILL,
  INSTRUMENT_PAIRS,
  MANAGED_ORDER,
  MANAGED_ORDER_PAGE,
  NATIVE_ORDER,
  ORDER_BOOK,
  ORDER_LIST,
  object,
  PLACED_NATIVE_ORDER,
  SCALED_ORDER,
  SERVER_TIME,
  STATUS,
  SYMBOL,
  type Table,
  TICKER,
} from "../../src/replies/index.ts";
import type { JsonSchema } from "../../src/requests/schemas/index.ts";
import { schemasUsedIn } from "../../src/service/descriptions/components.ts";
import type { ManagedOrder, NativeOrderView, OrderListView } from "../../src/service/index.ts";

/** Ids are strings on the client's side; everything else is as the service writes it. */
type IdName = "orderId" | "orderListId";
type AsRead<T> = {
  readonly [K in keyof T]: K extends IdName ? ("" extends T[K] ? never : string) | Absent<T[K]> : T[K];
};
type Absent<V> = undefined extends V ? undefined : never;

/** The tables by the schema of the service that describes the same reply. */
const TABLES: Readonly<Record<string, Table>> = {
  ManagedOrder: MANAGED_ORDER,
  CanceledManagedOrder: CANCELED_MANAGED_ORDER,
  OrderList: ORDER_LIST,
  CanceledOrderList: CANCELED_ORDER_LIST,
  ManagedOrderPage: MANAGED_ORDER_PAGE,
  CancelAllResult: CANCEL_ALL,
  NativeOrder: NATIVE_ORDER,
  PlacedNativeOrder: PLACED_NATIVE_ORDER,
  CanceledNativeOrder: CANCELED_NATIVE_ORDER,
  ServerTime: SERVER_TIME,
  Status: STATUS,
  Symbol: SYMBOL,
  ExchangeInfo: EXCHANGE_INFO,
  InstrumentPairs: INSTRUMENT_PAIRS,
  Ticker: TICKER,
  DayTicker: DAY_TICKER,
  OrderBook: ORDER_BOOK,
  "PlacedNativeOrder.fills": FILL,
  "Executions.orders": EXECUTION,
};

/** The schema of a reply, or of the items of one of its lists. */
type ObjectSchema = Readonly<{
  properties: Readonly<Record<string, JsonSchema>>;
  required: readonly string[];
}>;

function schemaOf(path: string): ObjectSchema {
  const [name = "", member] = path.split(".");
  const whole = schemasUsedIn({ $ref: `#/components/schemas/${name}` })[name] as unknown as ObjectSchema;
  return member === undefined ? whole : (whole.properties[member]?.items as unknown as ObjectSchema);
}

/** Returns the names of the members that the client demands by a table. */
function required(table: Table): readonly string[] {
  return Object.entries(table).flatMap(([name, kind]) => {
    try {
      object({ [name]: kind })({}, "");
      return [];
    } catch {
      return [name];
    }
  });
}

describe("the replies as the client reads them", () => {
  it.each(Object.entries(TABLES))(
    "%s has the members of the service's schema, and demands the same",
    (name, table) => {
      const schema = schemaOf(name);
      expect(Object.keys(table).sort()).toEqual(Object.keys(schema.properties).sort());
      expect([...required(table)].sort()).toEqual([...schema.required].sort());
    },
  );

  it("a scaled order is read by members that the service describes", () => {
    const names = ["ScaledManagedOrder", "ScaledNativeOrder"];
    for (const name of names) {
      const members = Object.keys(schemaOf(name).properties);
      expect(members).toEqual(expect.arrayContaining(Object.keys(SCALED_ORDER)));
    }
  });

  it("the types are those of the service, but ids, which are strings", () => {
    expectTypeOf<ManagedOrderReply>().branded.toEqualTypeOf<AsRead<ManagedOrder>>();
    expectTypeOf<NativeOrderReply>().branded.toEqualTypeOf<AsRead<NativeOrderView>>();
    expectTypeOf<LegIdentityReply>().branded.toEqualTypeOf<AsRead<OrderListView["orders"][number]>>();
    expectTypeOf<keyof OrderListReply>().toEqualTypeOf<keyof OrderListView>();
    expectTypeOf<CancelAllReply["matchedCount"]>().toEqualTypeOf<number>();
  });
});
