import { describe, expect, expectTypeOf, it } from "vitest";
import type {
  CancelAllReply,
  LegIdentityReply,
  ManagedOrderReply,
  NativeOrderReply,
  OrderListReply,
} from "../../src/client/index.ts";
import {
  CANCEL_ALL_SHAPE,
  CANCELED_LIST_SHAPE,
  CANCELED_MANAGED_SHAPE,
  LIST_SHAPE,
  MANAGED_SHAPE,
  OPEN_ORDERS_SHAPE,
} from "../../src/client/replies/managed.ts";
import {
  BOOK_SHAPE,
  DAY_TICKER_SHAPE,
  EXCHANGE_INFO_SHAPE,
  PAIRS_SHAPE,
  STATUS_SHAPE,
  SYMBOL_SHAPE,
  TICKER_SHAPE,
  TIME_SHAPE,
} from "../../src/client/replies/market.ts";
import {
  CANCELED_NATIVE_SHAPE,
  EXECUTION_SHAPE,
  FILL_SHAPE,
  NATIVE_SHAPE,
  PLACED_NATIVE_SHAPE,
  SCALED_SHAPE,
} from "../../src/client/replies/native.ts";
import type { Reader } from "../../src/client/replies/reader.ts";
import type { JsonSchema } from "../../src/requests/schemas/index.ts";
import { schemasUsedIn } from "../../src/service/descriptions/components.ts";
import type { ManagedOrder, NativeOrderView, OrderListView } from "../../src/service/index.ts";

/** Ids are strings on the client's side; everything else is as the service writes it. */
type IdName = "orderId" | "orderListId";
type AsRead<T> = {
  readonly [K in keyof T]: K extends IdName ? ("" extends T[K] ? never : string) | Absent<T[K]> : T[K];
};
type Absent<V> = undefined extends V ? undefined : never;

/** The shapes of the client by the schema of the service that describes the same reply. */
const SHAPES: Readonly<Record<string, Readonly<Record<string, Reader<unknown>>>>> = {
  ManagedOrder: MANAGED_SHAPE,
  CanceledManagedOrder: CANCELED_MANAGED_SHAPE,
  OrderList: LIST_SHAPE,
  CanceledOrderList: CANCELED_LIST_SHAPE,
  ManagedOrderPage: OPEN_ORDERS_SHAPE,
  CancelAllResult: CANCEL_ALL_SHAPE,
  NativeOrder: NATIVE_SHAPE,
  PlacedNativeOrder: PLACED_NATIVE_SHAPE,
  CanceledNativeOrder: CANCELED_NATIVE_SHAPE,
  ServerTime: TIME_SHAPE,
  Status: STATUS_SHAPE,
  Symbol: SYMBOL_SHAPE,
  ExchangeInfo: EXCHANGE_INFO_SHAPE,
  InstrumentPairs: PAIRS_SHAPE,
  Ticker: TICKER_SHAPE,
  DayTicker: DAY_TICKER_SHAPE,
  OrderBook: BOOK_SHAPE,
  "PlacedNativeOrder.fills": FILL_SHAPE,
  "Executions.orders": EXECUTION_SHAPE,
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

/** Returns the names of the members that a shape demands. */
function required(shape: Readonly<Record<string, Reader<unknown>>>): readonly string[] {
  return Object.keys(shape).filter((name) => {
    try {
      shape[name]?.(undefined, name);
      return false;
    } catch {
      return true;
    }
  });
}

describe("the replies as the client reads them", () => {
  it.each(Object.entries(SHAPES))(
    "decision LC: %s has the members of the service's schema, and demands the same",
    (name, shape) => {
      const schema = schemaOf(name);
      expect(Object.keys(shape).sort()).toEqual(Object.keys(schema.properties).sort());
      expect([...required(shape)].sort()).toEqual([...schema.required].sort());
    },
  );

  it("decision LC: a scaled order is read by members that the service describes", () => {
    const names = ["ScaledManagedOrder", "ScaledNativeOrder"];
    for (const name of names) {
      const members = Object.keys(schemaOf(name).properties);
      expect(members).toEqual(expect.arrayContaining(Object.keys(SCALED_SHAPE)));
    }
  });

  it("decision LC: the types are those of the service, but ids, which are strings", () => {
    expectTypeOf<ManagedOrderReply>().toEqualTypeOf<AsRead<ManagedOrder>>();
    expectTypeOf<NativeOrderReply>().branded.toEqualTypeOf<AsRead<NativeOrderView>>();
    expectTypeOf<LegIdentityReply>().toEqualTypeOf<AsRead<OrderListView["orders"][number]>>();
    expectTypeOf<keyof OrderListReply>().toEqualTypeOf<keyof OrderListView>();
    expectTypeOf<CancelAllReply["matchedCount"]>().toEqualTypeOf<number>();
  });
});
