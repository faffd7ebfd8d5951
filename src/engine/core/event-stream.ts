import { EventEmitter } from "eventemitter3";
import { harmless } from "../../host-answers/index.ts";
import type { Fact, JournalRecord, ParentOrder, Quote } from "../../model/index.ts";
import type { Core } from "./core.ts";
import {
  type Alert,
  type ChildUpdate,
  type EngineEventSource,
  type EngineEvents,
  isQuiet,
  type OrderNow,
  type PrintUpdate,
  type ShardsUpdate,
  type StatusUpdate,
} from "./events.ts";
import type { DurableRecord, ParentStep } from "./live-order.ts";

/** The listeners of an engine. Neither a throw nor a rejection of a listener reaches the engine or another listener. */
export class EventSource implements EngineEventSource {
  readonly #emitter: EventEmitter<keyof EngineEvents> = new EventEmitter();
  readonly #failed: (error: unknown) => void;

  constructor(failed: (error: unknown) => void) {
    this.#failed = failed;
  }

  on<Name extends keyof EngineEvents>(event: Name, listener: Listener<Name>): () => void {
    const guarded = this.#guarded(listener);
    this.#emitter.on(event, guarded);
    return () => void this.#emitter.off(event, guarded);
  }

  once<Name extends keyof EngineEvents>(event: Name, listener: Listener<Name>): () => void {
    const guarded = this.#guarded(listener);
    this.#emitter.once(event, guarded);
    return () => void this.#emitter.off(event, guarded);
  }

  /** Returns whether an event has a listener. Without one its payload need not be made. */
  hasListener(event: keyof EngineEvents): boolean {
    return this.#emitter.listenerCount(event) > 0;
  }

  emit<Name extends keyof EngineEvents>(event: Name, payload: EngineEvents[Name]): void {
    this.#emitter.emit(event, payload);
  }

  /** Removes all listeners. */
  stop(): void {
    this.#emitter.removeAllListeners();
  }

  #guarded<Payload>(listener: (payload: Payload) => void): (payload: Payload) => void {
    return (payload) => harmless(() => listener(payload), this.#failed);
  }
}

type Listener<Name extends keyof EngineEvents> = (payload: EngineEvents[Name]) => void;

/** The order of a fact after its record, and when the record was written. */
type After = Readonly<{ order: ParentOrder; timeMs: number }>;

/** Emits the event `fill`, `child` or `ended` of a durable fact, if it has one and somebody listens. */
export function emitFact(events: EventSource, fact: Fact, after: After): void {
  if (fact.kind === "FILLED") {
    const { childId, fill } = fact;
    if (events.hasListener("fill")) events.emit("fill", { ...orderNow(after), childId, fill });
  } else if (fact.kind === "ENDED") {
    const { status, reason } = fact;
    if (events.hasListener("ended")) events.emit("ended", { ...orderNow(after), status, reason });
  } else if (events.hasListener("child")) {
    const child = childNow(fact);
    if (child !== undefined) events.emit("child", { ...orderNow(after), ...child });
  }
}

function orderNow({ order, timeMs }: After): OrderNow {
  const { accountId, orderId, intent } = order;
  return { accountId, orderId, clientOrderId: intent.clientOrderId, order, timeMs };
}

/** Returns the state that a fact gives to a child; undefined for a fact about something else. */
function childNow(fact: Fact): Omit<ChildUpdate, keyof OrderNow> | undefined {
  switch (fact.kind) {
    case "CHILD_INTENDED":
      return { childId: fact.child.childId, state: "SENT" };
    case "CHILD_OPEN":
      return { childId: fact.childId, state: "OPEN" };
    case "CHILD_UNKNOWN":
      return { childId: fact.childId, state: "UNKNOWN", ...detailOf(fact.problem) };
    case "CHILD_CLOSED":
      return { childId: fact.childId, state: fact.outcome, ...detailOf(fact.detail) };
    default:
      return undefined;
  }
}

const detailOf = (detail: string | undefined): Readonly<{ detail?: string }> =>
  detail === undefined ? {} : { detail };

/** Returns whether a fact is announced to the listeners of its list: a creation, a release, the end of a leg. */
const movesList = ({ kind }: Fact): boolean => kind === "ACCEPTED" || kind === "RELEASED" || kind === "ENDED";

/**
 * Emits durable changes to the host: every record of a shard in sequence, without a gap (I54), and the events of its
 * facts.
 */
export class EventStream {
  readonly events: EventSource;
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
    this.events = new EventSource(core.reporterOf("listener.failed"));
  }

  publish({ record, steps, list }: DurableRecord): void {
    for (const step of steps) this.#publishStep(record, step);
    if (list === undefined || !steps.some(({ facts }) => facts.some(movesList))) return;
    this.events.emit("list", { shard: record.shard, sequence: record.sequence, record, list });
  }

  #publishStep(record: JournalRecord, { order, facts }: ParentStep): void {
    const { shard, sequence, timeMs } = record;
    if (this.events.hasListener("order")) this.events.emit("order", { shard, sequence, record, order });
    for (const fact of facts) {
      if (fact.kind === "TRIGGERED") this.#core.counters.triggers++;
      else if (fact.kind === "ALERT") this.#alert(order.orderId, fact, timeMs);
      else emitFact(this.events, fact, { order, timeMs });
    }
  }

  /**
   * Emits a counted quote. Returns whether there is a listener. Without one no object is created, because quotes are
   * frequent.
   */
  quoted(quote: Quote): boolean {
    if (!this.events.hasListener("quote")) return false;
    this.events.emit("quote", quote);
    return true;
  }

  /** Emits a counted print. Returns whether there is a listener. */
  printed(print: PrintUpdate): boolean {
    if (!this.events.hasListener("print")) return false;
    this.events.emit("print", print);
    return true;
  }

  /** Emits the alert that the wall clock was set by `stepMs` milliseconds. */
  stepped(stepMs: number): void {
    const [way, byMs] = [stepMs < 0 ? "back" : "forward", Math.abs(stepMs)];
    this.#report("clock.stepped", { stepMs });
    this.#reportClock(`the wall clock was set ${way} by ${byMs} ms`);
  }

  /** Emits the alert that an opening has found the wall clock that far ahead of the store. */
  openedBehind(byMs: number): void {
    this.#report("clock.ahead-of-store", { byMs });
    this.#reportClock(
      `the wall clock is ${byMs} ms ahead of the newest record, as after a stop of that length`,
    );
  }

  /** Emits the alert that engine time has followed the records of shards that were taken over. */
  raised(byMs: number): void {
    this.#report("clock.behind-records", { byMs });
    this.#reportClock(
      `engine time went forward by ${byMs} ms with the records of shards that were taken over: compare the clocks of the nodes`,
    );
  }

  #reportClock(what: string): void {
    const waitMs = Math.ceil(this.#core.time.doubtedForMs);
    const detail =
      waitMs > 0
        ? `${what}; nothing expires or ends by it until the clock of the venue or of a store on another machine confirms it, or it has said so for ${waitMs} ms more`
        : what;
    this.#publishAlert({ alert: "CLOCK_STEPPED", detail, timeMs: this.#core.nowMs() });
  }

  /** Emits a change of the engine's condition, and an alert unless the change is a quiet one. */
  status(update: StatusUpdate): void {
    const { change, detail, timeMs } = update;
    const alert = isQuiet(change) ? undefined : change;
    if (alert === undefined) this.#core.telemetry.event("info", "engine.status", { change, detail });
    else this.#report("engine.status", { change, detail });
    this.events.emit("status", update);
    if (alert !== undefined) this.#publishAlert({ alert, detail, timeMs });
  }

  /** Emits that shards have come or go. */
  moved(update: ShardsUpdate): void {
    if (update.gained.length + update.lost.length > 0) this.events.emit("shards", update);
  }

  /** Removes all listeners. */
  stop(): void {
    this.events.stop();
  }

  #alert(orderId: number, { alert, detail }: Extract<Fact, { kind: "ALERT" }>, timeMs: number): void {
    this.#report("order.alert", { orderId, alert, detail });
    this.#publishAlert({ alert, orderId, detail, timeMs });
  }

  /** Reports an alert. A server without a telemetry of the host writes it only if the host does not listen itself. */
  #report(name: string, fields: Readonly<Record<string, string | number>>): void {
    const { telemetry } = this.#core;
    if (telemetry.isOwn || !this.events.hasListener("alert")) telemetry.event("warn", name, fields);
  }

  #publishAlert(alert: Alert): void {
    this.#core.counters.alerts++;
    this.events.emit("alert", alert);
  }
}
