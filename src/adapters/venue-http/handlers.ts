import { OrderError } from "../../errors/index.ts";
import { problemOf } from "../../host-answers/index.ts";
import type { ChildReport, ChildRequest } from "../../model/index.ts";
import type { Clock, ExecutionVenue, NativeOrders } from "../../ports/index.ts";
import { type JsonInput, writeJson } from "../../wire/index.ts";
import type { Codec } from "./codec.ts";
import { Refusal } from "./messages.ts";
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
import { child as childCodec, isReport } from "./values.ts";

/** A verified call: its body as parsed JSON, the time of its signature, and a signal that ends it. */
type Call = Readonly<{ body: unknown; signedAtMs: number; signal: AbortSignal }>;

/** Answers a call with JSON. Rejects with a Refusal, an UnreadableAnswer for the body, or the venue's error. */
export type Handler = (call: Call) => Promise<JsonInput>;

/** Dependencies of the handlers. */
type HandlerParts = VenueServerOptions & Readonly<{ submissions: ReceivedSubmissions }>;

/** Returns the parts that a server has. */
function partsOf(options: VenueServerOptions): readonly Part[] {
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

/** Returns one handler for each call of the protocol. */
export function handlersOf(options: HandlerParts): Readonly<Record<VenueRouteName, Handler>> {
  const { venue, submissions, instruments, exposure, balances, volumeHistory, nativeOrders } = options;
  const orders = (): NativeOrders => nativeOrders ?? missing();
  const routes = VENUE_ROUTES;
  return {
    venue: handle(routes.venue, () => manifestOf(options)),
    time: handle(routes.time, () => venue.venueTimeMs?.() ?? missing()),
    instruments: handle(routes.instruments, () => instruments?.all() ?? missing()),
    submit: handle(routes.submit, (requested, { signedAtMs, signal }) =>
      submissions.submit({ ...requested, signedAtMs, signal }),
    ),
    lookup: handle(routes.lookup, ({ child }) => venue.lookup(child)),
    voidChild: handle(routes.voidChild, ({ child }) => venue.voidChild?.(child) ?? missing()),
    position: handle(
      routes.position,
      ({ accountId, symbol }) => exposure?.position(accountId, symbol) ?? missing(),
    ),
    balances: handle(routes.balances, ({ accountId }) => balances?.balances(accountId) ?? missing()),
    volume: handle(routes.volume, (range) => volumeHistory?.minutes(range) ?? missing()),
    place: handle(routes.place, (placement) => changedBy(() => orders().place(placement))),
    findRequest: handle(routes.findRequest, (request) => orders().findRequest(request)),
    cancel: handle(routes.cancel, ({ key, restriction }) =>
      changedBy(async () => {
        if (restriction === undefined) return await orders().cancel(key);
        return await (orders().cancelIf?.(key, restriction) ?? missing());
      }),
    ),
    find: handle(routes.find, (key) => orders().find(key)),
    page: handle(routes.page, (page) => orders().page(page)),
    open: handle(routes.open, (query) => orders().open?.(query) ?? missing()),
    executions: handle(routes.executions, (query) => orders().executions(query)),
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

/** Most submitted ids that are remembered. A further submit is refused: forgetting one could submit it twice. */
const MOST_RETAINED = 1_000_000;

/** Dependencies of submissions. `freshMs`: how far the time of a signature may be from the clock. */
type SubmissionParts = Readonly<{
  venue: ExecutionVenue;
  clock: Clock;
  freshMs: number;
  /** The time by which signatures are judged, when this process started. */
  startedAtMs: number;
}>;

/** A submit that has arrived. `signedAtMs` is the time of its signature. */
type Arrived = Readonly<{
  child: ChildRequest;
  notAfterMs: number;
  signedAtMs: number;
  signal: AbortSignal;
}>;

type Known = { readonly text: string; readonly evictAtMs: number; answer: Promise<ChildReport> | undefined };

/**
 * Hands each child to the venue at most once. An id is remembered until no copy of its request can be fresh any more. A
 * request that was signed before this process started may be a copy of one that the process before has handed over, so
 * it is only looked up.
 */
export class ReceivedSubmissions {
  readonly #parts: SubmissionParts;
  readonly #known: Map<string, Known> = new Map();

  constructor(parts: SubmissionParts) {
    this.#parts = parts;
  }

  /** Resolves to what became of the child. Rejects with a Refusal if that is unknown, or with the venue's error. */
  async submit(arrived: Arrived): Promise<ChildReport> {
    const { child, notAfterMs, signedAtMs } = arrived;
    this.#evict();
    const text = writeJson(childCodec.write(child));
    const known = this.#known.get(child.childId);
    if (known !== undefined) return await this.#again(child, known, text);
    const { venue, clock, freshMs, startedAtMs } = this.#parts;
    if (signedAtMs < startedAtMs) return await this.#look(child, "SIGNED_EARLIER");
    if (this.#known.size >= MOST_RETAINED) throw new Refusal("BUSY");
    const evictAtMs = clock.monotonicMs() + 2 * freshMs;
    const entry: Known = { text, evictAtMs, answer: undefined };
    this.#known.set(child.childId, entry);
    // A venue that tells its time has another clock than this server, and judges the deadline by it.
    if (venue.venueTimeMs === undefined && clock.nowMs() > notAfterMs) return late(child.childId);
    entry.answer = handed(venue, arrived);
    try {
      return await entry.answer;
    } finally {
      entry.answer = undefined;
    }
  }

  async #again(child: ChildRequest, known: Known, text: string): Promise<ChildReport> {
    if (known.text !== text) throw new Refusal("CHILD_DIFFERS");
    return known.answer === undefined ? await this.#look(child, "OUTCOME_UNKNOWN") : await known.answer;
  }

  async #look(child: ChildRequest, otherwise: "SIGNED_EARLIER" | "OUTCOME_UNKNOWN"): Promise<ChildReport> {
    const answer = await this.#parts.venue.lookup(child);
    if (!isReport(answer)) throw new Refusal(otherwise);
    return answer;
  }

  /** Ids are in the order in which they are forgotten, also those that the venue has not answered. */
  #evict(): void {
    const nowMs = this.#parts.clock.monotonicMs();
    for (const [childId, { evictAtMs }] of this.#known) {
      if (evictAtMs >= nowMs) return;
      this.#known.delete(childId);
    }
  }
}

/** Calls the venue. A venue that throws instead of rejecting has an unknown outcome too. */
async function handed(venue: ExecutionVenue, { child, notAfterMs, signal }: Arrived): Promise<ChildReport> {
  return await venue.submit(child, { deadlineMs: notAfterMs, signal });
}

const late = (childId: string): ChildReport => ({
  ...{ childId, state: "rejected", fills: [], detail: "The deadline had passed on arrival." },
});
