import { OrderError } from "../../errors/index.ts";
import { problemOf } from "../../host-answers/index.ts";
import type { JsonInput } from "../../wire/index.ts";
import type { Codec } from "./codec.ts";
import { Refusal } from "./refusal.ts";
import {
  type Changed,
  type Manifest,
  type Part,
  PROTOCOL,
  VENUE_ROUTES,
  type VenueRoute,
  type VenueRouteName,
} from "./routes.ts";
import type { VenueServerOptions } from "./server-options.ts";
import type { ReceivedSubmissions } from "./submissions.ts";

/** A verified call: its body as parsed JSON, the time of its signature, and a signal that ends it. */
export type Call = Readonly<{ body: unknown; signedAtMs: number; signal: AbortSignal }>;

/** Answers a call with JSON. Rejects with a Refusal, an UnreadableAnswer for the body, or the venue's error. */
export type Handler = (call: Call) => Promise<JsonInput>;

/** Dependencies of the handlers. */
export type HandlerParts = VenueServerOptions & Readonly<{ submissions: ReceivedSubmissions }>;

/** Returns the parts that a server has. */
export function partsOf(options: VenueServerOptions): readonly Part[] {
  const { venue, marketData, nativeOrders, balances, exposure, volumeHistory, instruments } = options;
  const present: Readonly<Record<Part, unknown>> = {
    ...{ time: venue.venueTimeMs, market: marketData, native: nativeOrders, balances },
    ...{ cancelIf: nativeOrders?.cancelIf, open: nativeOrders?.open },
    ...{ position: exposure, volume: volumeHistory, instruments },
  };
  return (Object.keys(present) as Part[]).filter((part) => present[part] !== undefined);
}

function manifestOf(options: VenueServerOptions): Manifest {
  const { venue, nativeOrders, exposure, marketData } = options;
  return {
    protocol: PROTOCOL,
    capabilities: venue.capabilities,
    ...(nativeOrders && { isPaperTrade: nativeOrders.isPaperTrade }),
    ...(exposure?.lagMs !== undefined && { positionLagMs: exposure.lagMs }),
    ...(marketData?.ownFillsInPrints && { ownFillsInPrints: marketData.ownFillsInPrints }),
    parts: partsOf(options),
  };
}

/** Returns one handler for each call of the protocol. */
export function handlersOf(parts: HandlerParts): Readonly<Record<VenueRouteName, Handler>> {
  return { ...venueHandlers(parts), ...accountHandlers(parts), ...nativeHandlers(parts) };
}

/** Makes a handler of a route and of the function that answers it. */
function handle<Q, A>(
  { request, answer }: VenueRoute<Q, A>,
  run: (requested: Q, call: Call) => A | Promise<A>,
): Handler {
  return async (call) => {
    const requested = readRequest(request, call.body);
    return answer.write(await run(requested, call));
  };
}

/** Returns the request. A body that cannot be read is the client's mistake, unlike an answer of the venue. */
function readRequest<Q>(request: Codec<Q>, body: unknown): Q {
  try {
    return request.read(body, "the body");
  } catch (error) {
    throw new Refusal("BAD_REQUEST", `${problemOf(error)}.`);
  }
}

const missing = (): never => {
  throw new Refusal("NO_SUCH_PART");
};

type VenueRoutes = "venue" | "time" | "instruments" | "submit" | "lookup" | "voidChild";

function venueHandlers(parts: HandlerParts): Readonly<Record<VenueRoutes, Handler>> {
  const { venue, submissions, instruments } = parts;
  return {
    venue: handle(VENUE_ROUTES.venue, () => manifestOf(parts)),
    time: handle(VENUE_ROUTES.time, () => venue.venueTimeMs?.() ?? missing()),
    instruments: handle(VENUE_ROUTES.instruments, () => instruments?.all() ?? missing()),
    submit: handle(VENUE_ROUTES.submit, (requested, { signedAtMs, signal }) =>
      submissions.submit({ ...requested, signedAtMs, signal }),
    ),
    lookup: handle(VENUE_ROUTES.lookup, ({ child }) => venue.lookup(child)),
    voidChild: handle(VENUE_ROUTES.voidChild, ({ child }) => venue.voidChild?.(child) ?? missing()),
  };
}

type AccountRoutes = "position" | "balances" | "volume";

function accountHandlers({
  exposure,
  balances,
  volumeHistory,
}: HandlerParts): Readonly<Record<AccountRoutes, Handler>> {
  return {
    position: handle(
      VENUE_ROUTES.position,
      ({ accountId, symbol }) => exposure?.position(accountId, symbol) ?? missing(),
    ),
    balances: handle(VENUE_ROUTES.balances, ({ accountId }) => balances?.balances(accountId) ?? missing()),
    volume: handle(VENUE_ROUTES.volume, (range) => volumeHistory?.minutes(range) ?? missing()),
  };
}

type NativeRoutes = Exclude<VenueRouteName, VenueRoutes | AccountRoutes>;

function nativeHandlers({ nativeOrders }: HandlerParts): Readonly<Record<NativeRoutes, Handler>> {
  const orders = (): NonNullable<typeof nativeOrders> => nativeOrders ?? missing();
  return {
    place: handle(VENUE_ROUTES.place, (placement) => changedBy(() => orders().place(placement))),
    findRequest: handle(VENUE_ROUTES.findRequest, (request) => orders().findRequest(request)),
    cancel: handle(VENUE_ROUTES.cancel, ({ key, restriction }) =>
      changedBy(async () => {
        if (restriction === undefined) return await orders().cancel(key);
        return await (orders().cancelIf?.(key, restriction) ?? missing());
      }),
    ),
    find: handle(VENUE_ROUTES.find, (key) => orders().find(key)),
    page: handle(VENUE_ROUTES.page, (page) => orders().page(page)),
    open: handle(VENUE_ROUTES.open, (query) => orders().open?.(query) ?? missing()),
    executions: handle(VENUE_ROUTES.executions, (query) => orders().executions(query)),
  };
}

/** Runs a change of a native order. An OrderError is a definite refusal; any other error leaves the outcome unknown. */
async function changedBy<T>(change: () => Promise<T | undefined>): Promise<Changed<T>> {
  try {
    const done = await change();
    return done === undefined ? {} : { done };
  } catch (error) {
    if (error instanceof OrderError) return { refused: error };
    throw error;
  }
}
