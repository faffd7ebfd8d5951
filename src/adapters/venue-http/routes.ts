import type { Quantity } from "../../decimal/index.ts";
import { ERRORS, type ErrorDetails, type ErrorName, OrderError } from "../../errors/index.ts";
import { membersOf, requireThat, words } from "../../host-answers/index.ts";
import type {
  CancelRestriction,
  ChildReport,
  ChildRequest,
  Instrument,
  NativeExecution,
  NativeOrder,
  VolumeBar,
} from "../../model/index.ts";
import type {
  AssetBalance,
  ExecutionQuery,
  NativeKey,
  NativePage,
  NativePlaced,
  NativePlacement,
  NativeRequest,
  NotFound,
  OpenNativeQuery,
  OwnFillsInPrints,
  PositionAsOf,
  VenueCapabilities,
} from "../../ports/index.ts";
import { OWN_FILLS } from "../../ports/internal.ts";
import {
  type Codec,
  count,
  flag,
  idText,
  knownWords,
  listOf,
  mapped,
  maybe,
  objectOf,
  printable,
  rate,
  word,
} from "./codec.ts";
import {
  child,
  execution,
  executionQuery,
  instrument,
  isReport,
  nativeKey,
  nativeOrder,
  nativePage,
  nativeRequest,
  openQuery,
  placed,
  placement,
  position,
  report,
  restriction,
  symbol,
  volume,
} from "./values.ts";

/** Version of the protocol, and the first part of each path. */
export const PROTOCOL = 1;

/** A part of a venue beside its children, which a server may or may not have. */
export type Part =
  | "time"
  | "market"
  | "native"
  | "cancelIf"
  | "open"
  | "balances"
  | "position"
  | "volume"
  | "instruments";

const PARTS: readonly Part[] = words<Part>({
  ...{ time: true, market: true, native: true, cancelIf: true, open: true },
  ...{ balances: true, position: true, volume: true, instruments: true },
});

/** What a server is and has. */
export type Manifest = Readonly<{
  protocol: number;
  capabilities: VenueCapabilities;
  isPaperTrade?: boolean;
  /** How late a position may be, if the server says so. */
  positionLagMs?: number;
  /** How own fills appear among the prints of the stream `market`, if the server says so. */
  ownFillsInPrints?: OwnFillsInPrints;
  parts: readonly Part[];
}>;

/** What a venue guarantees. */
export const capabilities: Codec<VenueCapabilities> = objectOf<VenueCapabilities>({
  honoursDeadline: flag,
  canVoid: flag,
  ratePerSecond: maybe(rate),
  fillsMayFollowCloseMs: maybe(count),
});

const manifest: Codec<Manifest> = objectOf<Manifest>({
  protocol: count,
  capabilities,
  isPaperTrade: maybe(flag),
  positionLagMs: maybe(count),
  ownFillsInPrints: maybe(word(OWN_FILLS)),
  parts: knownWords(PARTS, 100),
});

/** Either a report, or a statement about a child that has none. */
type ChildAnswer = Readonly<{
  report?: ChildReport;
  notFound?: boolean;
  notFoundAtMs?: number;
  voided?: boolean;
}>;

const childAnswer = objectOf<ChildAnswer>({
  report: maybe(report),
  notFound: maybe(flag),
  notFoundAtMs: maybe(count),
  voided: maybe(flag),
});

const reported: Codec<ChildReport> = mapped(
  objectOf<{ report: ChildReport }>({ report }),
  (answer) => answer.report,
  (value) => ({ report: value }),
);

const lookedUp: Codec<ChildReport | NotFound> = mapped<ChildAnswer, ChildReport | NotFound>(
  childAnswer,
  ({ report: value, notFound, notFoundAtMs }) => {
    const statements = [value, notFound, notFoundAtMs].filter((one) => one !== undefined);
    requireThat(
      statements.length === 1 && notFound !== false,
      "the answer is not one of report, notFound, notFoundAtMs",
    );
    return value ?? (notFoundAtMs === undefined ? "not-found" : { notFoundAtMs });
  },
  (value) => (value === "not-found" ? { notFound: true } : isReport(value) ? { report: value } : value),
);

const voided: Codec<ChildReport | "voided"> = mapped<ChildAnswer, ChildReport | "voided">(
  childAnswer,
  ({ report: value, voided: isVoided }) => {
    requireThat((value === undefined) === (isVoided === true), "the answer is not one of report, voided");
    return value ?? "voided";
  },
  (value) => (value === "voided" ? { voided: true } : { report: value }),
);

/** A refusal of a native order, as an OrderError. */
const refusal: Codec<OrderError> = {
  schema: {
    type: "object",
    properties: { reason: { enum: Object.keys(ERRORS) }, details: { type: "object" } },
    required: ["reason", "details"],
  },
  write: ({ reason, details }) => ({ reason, details: { ...details } }),
  read(value, what) {
    const { reason, details } = membersOf(value, what);
    requireThat(typeof reason === "string" && Object.hasOwn(ERRORS, reason), `reason of ${what} is unknown`);
    const all = Object.entries(membersOf(details, `details of ${what}`));
    const isPlain = all.every(([, value]) => typeof value === "string" || typeof value === "number");
    requireThat(isPlain && all.length <= 16, `details of ${what} are not texts and numbers`);
    return new OrderError(reason as ErrorName, Object.fromEntries(all) as ErrorDetails);
  },
};

/** A change of a native order: its outcome, nothing if there is no such order, or the refusal. */
export type Changed<T> = Readonly<{ done?: T; refused?: OrderError }>;

const changed = <T extends object>(codec: Codec<T>): Codec<Changed<T>> =>
  mapped(
    objectOf<Changed<T>>({ done: maybe(codec as never), refused: maybe(refusal) } as never),
    (answer) => {
      requireThat(
        answer.done === undefined || answer.refused === undefined,
        "the answer is both done and refused",
      );
      return answer;
    },
    (answer) => answer,
  );

/** An answer that may be missing. */
type Found<T> = Readonly<{ found?: T }>;

const found = <T extends object>(codec: Codec<T>): Codec<T | undefined> =>
  mapped(
    objectOf<Found<T>>({ found: maybe(codec as never) } as never),
    (answer) => answer.found,
    (value) => (value === undefined ? {} : { found: value }),
  );

const listed = <T>(name: string, one: Codec<T>, most: number): Codec<readonly T[]> =>
  mapped(
    objectOf<Record<string, readonly T[]>>({ [name]: listOf(one, most) }),
    (answer) => answer[name] ?? [],
    (values) => ({ [name]: values }),
  );

/** One call of the protocol. A GET has no body. */
export type VenueRoute<Q, A> = Readonly<{
  method: "GET" | "POST";
  path: string;
  summary: string;
  request: Codec<Q>;
  answer: Codec<A>;
}>;

const nothing: Codec<Readonly<Record<never, never>>> = objectOf({});

const get = <A>(path: string, summary: string, answer: Codec<A>): VenueRoute<object, A> => ({
  method: "GET",
  path: `/v${PROTOCOL}${path}`,
  summary,
  request: nothing,
  answer,
});

const post = <Q, A>(
  path: string,
  described: Omit<VenueRoute<Q, A>, "method" | "path">,
): VenueRoute<Q, A> => ({
  method: "POST",
  path: `/v${PROTOCOL}${path}`,
  ...described,
});

/** A child to submit, and the last moment at which it may execute, in the venue's time. */
type Submit = Readonly<{ child: ChildRequest; notAfterMs: number }>;
/** A child that is asked about. */
type Requested = Readonly<{ child: ChildRequest }>;
/** An account in a market. */
type AccountMarket = Readonly<{ accountId: number; symbol: string }>;
/** Minutes of a market. */
type Minutes = Readonly<{ symbol: string; fromMs: number; toMs: number }>;
/** A native order to cancel, if it meets the restriction. */
type Cancel = Readonly<{ key: NativeKey; restriction?: CancelRestriction }>;

const requested = objectOf<Requested>({ child });
const account = objectOf<Readonly<{ accountId: number }>>({ accountId: idText });
const balance = objectOf<AssetBalance>({ asset: printable(64), free: printable(82), locked: printable(82) });
const bar = objectOf<VolumeBar>({ symbol, minuteMs: count, quantity: volume });
const time = mapped(
  objectOf<Readonly<{ timeMs: number }>>({ timeMs: count }),
  ({ timeMs }) => timeMs,
  (timeMs) => ({ timeMs }),
);
/** A position, and the execution or the time as of which it is, if the venue says so. */
type PositionAnswer = Readonly<{
  quantity: Quantity;
  asOfExecutionId?: string;
  asOfMs?: number;
}>;

const held: Codec<Quantity | PositionAsOf> = mapped<PositionAnswer, Quantity | PositionAsOf>(
  objectOf<PositionAnswer>({
    quantity: position,
    asOfExecutionId: maybe(printable(256)),
    asOfMs: maybe(count),
  }),
  ({ quantity, asOfExecutionId, asOfMs }) => {
    const asOf = asOfExecutionId ?? asOfMs;
    return asOf === undefined ? quantity : { quantity, asOf };
  },
  (answer) => {
    if (typeof answer !== "object") return { quantity: answer };
    const { quantity, asOf } = answer;
    return typeof asOf === "string" ? { quantity, asOfExecutionId: asOf } : { quantity, asOfMs: asOf };
  },
);

const MOST_ROWS = 10_000;

/** Types of all calls. */
type Routes = Readonly<{
  venue: VenueRoute<object, Manifest>;
  time: VenueRoute<object, number>;
  instruments: VenueRoute<object, readonly Instrument[]>;
  submit: VenueRoute<Submit, ChildReport>;
  lookup: VenueRoute<Requested, ChildReport | NotFound>;
  voidChild: VenueRoute<Requested, ChildReport | "voided">;
  position: VenueRoute<AccountMarket, Quantity | PositionAsOf>;
  balances: VenueRoute<Readonly<{ accountId: number }>, readonly AssetBalance[]>;
  volume: VenueRoute<Minutes, readonly VolumeBar[]>;
  place: VenueRoute<NativePlacement, Changed<NativePlaced>>;
  findRequest: VenueRoute<NativeRequest, NativePlaced | undefined>;
  cancel: VenueRoute<Cancel, Changed<NativeOrder>>;
  find: VenueRoute<NativeKey, NativeOrder | undefined>;
  page: VenueRoute<NativePage, readonly NativeOrder[]>;
  open: VenueRoute<OpenNativeQuery, readonly NativeOrder[]>;
  executions: VenueRoute<ExecutionQuery, readonly NativeExecution[]>;
}>;

/** All calls of the protocol, except the streams. */
export const VENUE_ROUTES: Routes = {
  venue: get("/venue", "What the venue guarantees, and which parts the server has.", manifest),
  time: get("/time", "The venue's own time, by which it judges deadlines.", time),
  instruments: get("/instruments", "All instruments.", listed("instruments", instrument, MOST_ROWS)),
  submit: post("/children", {
    summary: "Submits a child. The same id again is answered with what became of it.",
    request: objectOf<Submit>({ child, notAfterMs: count }),
    answer: reported,
  }),
  lookup: post("/children/lookup", {
    summary: "What the venue knows of a child.",
    request: requested,
    answer: lookedUp,
  }),
  voidChild: post("/children/void", {
    summary: "Ensures that a child can never execute.",
    request: requested,
    answer: voided,
  }),
  position: post("/position", {
    summary: "The signed position of an account in an instrument.",
    request: objectOf<AccountMarket>({ accountId: idText, symbol }),
    answer: held,
  }),
  balances: post("/balances", {
    summary: "The balances of an account.",
    request: account,
    answer: listed("balances", balance, MOST_ROWS),
  }),
  volume: post("/volume", {
    summary: "Executed volume by minute.",
    request: objectOf<Minutes>({ symbol, fromMs: count, toMs: count }),
    answer: listed("minutes", bar, 600_000),
  }),
  place: post("/native/place", {
    summary: "Places a native order. The same requestKey again is answered with the order that it placed.",
    request: placement,
    answer: changed(placed),
  }),
  findRequest: post("/native/request", {
    summary: "The answer to an earlier placement.",
    request: nativeRequest,
    answer: found(placed),
  }),
  cancel: post("/native/cancel", {
    summary: "Cancels an open native order.",
    request: objectOf<Cancel>({ key: nativeKey, restriction: maybe(restriction) }),
    answer: changed(nativeOrder),
  }),
  find: post("/native/order", {
    summary: "A current or archived native order.",
    request: nativeKey,
    answer: found(nativeOrder),
  }),
  page: post("/native/page", {
    summary: "A page of native orders.",
    request: nativePage,
    answer: listed("orders", nativeOrder, MOST_ROWS),
  }),
  open: post("/native/open", {
    summary: "The open native orders of an account.",
    request: openQuery,
    answer: listed("orders", nativeOrder, MOST_ROWS),
  }),
  executions: post("/native/executions", {
    summary: "The newest executions of native orders.",
    request: executionQuery,
    answer: listed("executions", execution, MOST_ROWS),
  }),
};

/** Name of a call. */
export type VenueRouteName = keyof Routes;

/** Name of a stream. */
export type StreamName = "events" | "market" | "native";

/** The streams of the protocol. */
export const STREAMS: Readonly<Record<StreamName, Readonly<{ path: string; summary: string }>>> = {
  events: { path: `/v${PROTOCOL}/events`, summary: "Reports on children, as the venue sends them." },
  market: { path: `/v${PROTOCOL}/market`, summary: "Quotes, trades and confirmations." },
  native: { path: `/v${PROTOCOL}/native/events`, summary: "Executions of native orders." },
};
