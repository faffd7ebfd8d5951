import type { ApiState, ListStatusView, OrderStatus } from "../../lifecycle/index.ts";
import type { Contingency, ParentType, Side, StallCause, TimeInForce } from "../../model/index.ts";
import {
  flag,
  list,
  maybe,
  number,
  object,
  type Reader,
  type Shape,
  text,
  type WholeText,
  whole,
} from "./reader.ts";

/**
 * A managed order. Decimals are strings, times are epoch milliseconds, ids are strings of digits. A member that does not
 * apply is absent. Source: contract, Managed order (parent) response fields.
 */
export interface ManagedOrderReply {
  readonly symbol: string;
  readonly instrumentId?: number | undefined;
  readonly account: number;
  readonly accountId: number;
  /** Negative; newer ids are lower. */
  readonly orderId: WholeText;
  readonly clientOrderId: string;
  readonly clOrdId: string;
  /** Negative; `"-1"` if the order is not part of a list. */
  readonly orderListId: WholeText;
  readonly type: ParentType;
  /** 180 TWAP, 1000002 VWAP, 1000004 POV. */
  readonly targetStrategy?: number | undefined;
  readonly side: Side;
  readonly origQty: string;
  readonly executedQty: string;
  /** Executed amount in USD. */
  readonly cummulativeQuoteQty: string;
  /** Average price of the fills; 0 if there is none. */
  readonly avgPrice: string;
  readonly price?: string | undefined;
  readonly stopPrice?: string | undefined;
  /** Basis points. */
  readonly trailingDelta?: number | undefined;
  /** Trailing distance in percent. */
  readonly price2?: string | undefined;
  readonly trailingAmount?: string | undefined;
  readonly limitOffset?: string | undefined;
  /** The limit that results from the trigger price and `limitOffset`. */
  readonly dynamicLimit?: string | undefined;
  /** The level that was met or, until then, the one at which a trailing order triggers. That moves with the market. */
  readonly triggerLevel?: string | undefined;
  /** Time of the trigger; absent until then. */
  readonly triggerTime?: number | undefined;
  readonly icebergQty?: string | undefined;
  /** Milliseconds of one slot. */
  readonly interval?: number | undefined;
  readonly intervalCount?: number | undefined;
  /** Milliseconds before the first slot. */
  readonly intervalDelay?: number | undefined;
  /** Share of the executed volume in basis points. */
  readonly participationBips?: number | undefined;
  readonly volumeProfile?: string | undefined;
  readonly volumeBenchmark?: "SERVICE_EXECUTED_VOLUME" | undefined;
  readonly timeInForce: TimeInForce;
  readonly childTimeInForce: "IOC" | "FOK";
  readonly expireTime?: number | undefined;
  readonly reduceOnly: boolean;
  readonly status: OrderStatus;
  readonly apiState: ApiState;
  readonly apiManaged: true;
  /** Whether the leg waits for its release. */
  readonly held: boolean;
  readonly cancelPending: boolean;
  /** Why nothing of it executes although its condition is met; absent unless it is stalled. */
  readonly stalled?: StallCause | undefined;
  readonly lastChildClientOrderId?: string | undefined;
  /** Time of acceptance. */
  readonly transactTime: number;
  readonly updateTime: number;
}

/** A managed order after its cancel. `clientOrderId` is the id of the cancel, if it has one. */
export interface CanceledManagedOrderReply extends ManagedOrderReply {
  /** Client id of the order. */
  readonly origClientOrderId: string;
}

/** The ids of a leg. */
export interface LegIdentityReply {
  readonly symbol: string;
  readonly orderId: WholeText;
  readonly clientOrderId: string;
}

/** A list of linked orders; `Report` is the type of its legs. Source: contract, Linked order list reply. */
export interface OrderListReply<Report = ManagedOrderReply> {
  readonly orderListId: WholeText;
  readonly contingencyType: Contingency;
  readonly listStatusType: ListStatusView["listStatusType"];
  readonly listOrderStatus: ListStatusView["listOrderStatus"];
  readonly listClientOrderId: string;
  /** Time of acceptance. */
  readonly transactionTime: number;
  readonly symbol: string;
  /** The working leg, the protective leg, then the other leg. */
  readonly orders: readonly LegIdentityReply[];
  /** The same legs in full. */
  readonly orderReports: readonly Report[];
}

/** A list after its cancel. */
export type CanceledOrderListReply = OrderListReply<CanceledManagedOrderReply>;

/** A page of managed orders of all markets. */
export interface OpenOrdersReply {
  readonly apiManaged: true;
  readonly includesHistory: boolean;
  readonly newestFirst?: true | undefined;
  /** Number of all matching orders. */
  readonly total: number;
  /** `afterOrderId` of the next page; `"0"` on the last page. */
  readonly nextOrderId: WholeText;
  readonly orders: readonly ManagedOrderReply[];
}

/** The result of canceling all managed orders. */
export interface CancelAllReply {
  readonly matchedCount: number;
  readonly canceledCount: number;
  readonly cancelPendingCount: number;
}

const yes: Reader<true> = (value, at) => flag(value, at) as true;

/** Readers of the members of a managed order. */
export const MANAGED_SHAPE: Shape<ManagedOrderReply> = {
  symbol: text,
  instrumentId: maybe(number),
  account: number,
  accountId: number,
  orderId: whole,
  clientOrderId: text,
  clOrdId: text,
  orderListId: whole,
  type: text<ParentType>,
  targetStrategy: maybe(number),
  side: text<Side>,
  origQty: text,
  executedQty: text,
  cummulativeQuoteQty: text,
  avgPrice: text,
  price: maybe(text),
  stopPrice: maybe(text),
  trailingDelta: maybe(number),
  price2: maybe(text),
  trailingAmount: maybe(text),
  limitOffset: maybe(text),
  dynamicLimit: maybe(text),
  triggerLevel: maybe(text),
  triggerTime: maybe(number),
  icebergQty: maybe(text),
  interval: maybe(number),
  intervalCount: maybe(number),
  intervalDelay: maybe(number),
  participationBips: maybe(number),
  volumeProfile: maybe(text),
  volumeBenchmark: maybe(text<"SERVICE_EXECUTED_VOLUME">),
  timeInForce: text<TimeInForce>,
  childTimeInForce: text<"IOC" | "FOK">,
  expireTime: maybe(number),
  reduceOnly: flag,
  status: text<OrderStatus>,
  apiState: text<ApiState>,
  apiManaged: yes,
  held: flag,
  cancelPending: flag,
  stalled: maybe(text<StallCause>),
  lastChildClientOrderId: maybe(text),
  transactTime: number,
  updateTime: number,
};

/** Readers of the members of a canceled managed order. */
export const CANCELED_MANAGED_SHAPE: Shape<CanceledManagedOrderReply> = {
  ...MANAGED_SHAPE,
  origClientOrderId: text,
};

const listShape = <Report>(report: Shape<Report>): Shape<OrderListReply<Report>> => ({
  orderListId: whole,
  contingencyType: text<Contingency>,
  listStatusType: text<ListStatusView["listStatusType"]>,
  listOrderStatus: text<ListStatusView["listOrderStatus"]>,
  listClientOrderId: text,
  transactionTime: number,
  symbol: text,
  orders: list(object<LegIdentityReply>({ symbol: text, orderId: whole, clientOrderId: text })),
  orderReports: list(object(report)),
});

/** Readers of the members of a list. */
export const LIST_SHAPE: Shape<OrderListReply> = listShape(MANAGED_SHAPE);

/** Readers of the members of a canceled list. */
export const CANCELED_LIST_SHAPE: Shape<CanceledOrderListReply> = listShape(CANCELED_MANAGED_SHAPE);

/** Readers of the members of a page. */
export const OPEN_ORDERS_SHAPE: Shape<OpenOrdersReply> = {
  apiManaged: yes,
  includesHistory: flag,
  newestFirst: maybe(yes),
  total: number,
  nextOrderId: whole,
  orders: list(object(MANAGED_SHAPE)),
};

/** Readers of the members of the result of canceling all. */
export const CANCEL_ALL_SHAPE: Shape<CancelAllReply> = {
  matchedCount: number,
  canceledCount: number,
  cancelPendingCount: number,
};
