import { pause } from "../../common/index.ts";
import { harmless } from "../../host-answers/index.ts";
import type { ChildReport, ChildRequest } from "../../model/index.ts";
import type {
  Clock,
  ExecutionVenue,
  NotFound,
  SubmitOptions,
  VenueCapabilities,
  VenueEvent,
} from "../../ports/index.ts";
import type { RemoteParts, StreamMessage } from "./follower.ts";
import { VenueHttpError } from "./link.ts";
import { capabilities as capabilitiesCodec, VENUE_ROUTES } from "./routes.ts";
import { isReport, report as reportCodec } from "./values.ts";

const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;

type Listener = (event: VenueEvent) => void;

/** The execution venue port on a venue server. */
export class RemoteVenue implements ExecutionVenue {
  readonly venueTimeMs?: () => Promise<number>;
  readonly voidChild?: (child: ChildRequest) => Promise<ChildReport | "voided">;
  readonly #parts: RemoteParts;
  readonly #listeners: Set<Readonly<{ listener: Listener }>> = new Set();
  readonly #open: OpenChildren;
  #capabilities: VenueCapabilities;

  constructor(parts: RemoteParts) {
    const { link, manifest } = parts;
    this.#parts = parts;
    this.#capabilities = manifest.capabilities;
    this.#open = new OpenChildren({
      clock: link.clock,
      lookup: (child) => this.#lookup(child),
      report: (reported) => this.#deliver(reported),
    });
    if (manifest.parts.includes("time")) this.venueTimeMs = () => link.call(VENUE_ROUTES.time, {});
    if (manifest.capabilities.canVoid)
      this.voidChild = (child) =>
        this.#open.during(child, about(child, link.call(VENUE_ROUTES.voidChild, { child })));
  }

  /** What the server said last: it may restart with another venue. */
  get capabilities(): VenueCapabilities {
    return this.#capabilities;
  }

  /** Number of look-ups that are due or under way because events were missed. */
  get looking(): number {
    return this.#open.looking;
  }

  submit(child: ChildRequest, { deadlineMs, signal }: SubmitOptions): Promise<ChildReport> {
    const sent = this.#send(child, { deadlineMs, signal });
    return this.#open.during(child, about(child, sent));
  }

  lookup(child: ChildRequest): Promise<ChildReport | NotFound> {
    return this.#open.during(child, this.#lookup(child));
  }

  subscribe(listener: Listener): () => void {
    const leave = this.#parts.streams.follow("events", {
      began: (hello, isAnew) => this.#began(hello, isAnew),
      received: (message) => this.#receive(message, listener),
    });
    const entry = { listener };
    this.#listeners.add(entry);
    return () => {
      leave();
      this.#listeners.delete(entry);
    };
  }

  /** Ends the look-ups. */
  close(): void {
    this.#open.close();
  }

  #lookup(child: ChildRequest): Promise<ChildReport | NotFound> {
    return about(child, this.#parts.link.call(VENUE_ROUTES.lookup, { child }));
  }

  /** Sends a child. Tries again only while nothing of it was written; the engine's signal ends that at the deadline. */
  async #send(child: ChildRequest, { deadlineMs, signal }: SendOptions): Promise<ChildReport> {
    const { link } = this.#parts;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      try {
        return await link.call(VENUE_ROUTES.submit, { child, notAfterMs: deadlineMs }, { signal });
      } catch (error) {
        const isUnsent = error instanceof VenueHttpError && error.problem === "unsent";
        if (!isUnsent || signal.aborted || link.isClosed) throw error;
      }
      await pause(link.clock, pauseMs, signal);
    }
  }

  #began(hello: StreamMessage, isAnew: boolean): void {
    // First, because capabilities that cannot be read end this step.
    if (isAnew) this.#open.missed();
    if (hello["capabilities"] !== undefined)
      this.#capabilities = capabilitiesCodec.read(hello["capabilities"], "the capabilities");
  }

  #receive({ type, report: reported }: StreamMessage, listener: Listener): void {
    if (type !== "report") return;
    let report: ChildReport;
    try {
      report = reportCodec.read(reported, "the report");
    } catch {
      this.#parts.telemetry?.event("warn", "venue-http.unreadable-report", {});
      const { childId } = (reported ?? {}) as { childId?: unknown };
      if (typeof childId === "string") this.#open.missedOf(childId);
      return;
    }
    this.#open.received(report);
    listener({ report });
  }

  #deliver(report: ChildReport): void {
    for (const { listener } of [...this.#listeners]) {
      harmless(
        () => listener({ report }),
        () => this.#parts.telemetry?.event("warn", "venue-http.listener-failed", { stream: "events" }),
      );
    }
  }
}

type SendOptions = Readonly<{ deadlineMs: number; signal: globalThis.AbortSignal }>;

/** Resolves like an answer about a child. Rejects one that is about another child. */
async function about<T extends ChildReport | NotFound | "voided">(
  { childId }: ChildRequest,
  answer: Promise<T>,
): Promise<T> {
  const reported = await answer;
  if (isReport(reported) && reported.childId !== childId)
    throw new VenueHttpError("unreadable", "the report is about another child");
  return reported;
}

/** Look-ups at a time after events were missed. */
const AT_A_TIME = 8;

/** Pause before a look-up that failed is made again. */
const AGAIN_MS = 1_000;

/** Dependencies of open children. */
type OpenChildrenParts = Readonly<{
  clock: Clock;
  lookup: (child: ChildRequest) => Promise<ChildReport | NotFound>;
  /** Receives what a look-up says of a child, as if the venue had sent it. */
  report: (report: ChildReport) => void;
}>;

type Entry = {
  readonly child: ChildRequest;
  calls: number;
  isOpen: boolean;
  isOver: boolean;
  isDue: boolean;
};

/**
 * The children that this client knows to be open. When events were missed, each of them is looked up, because the event
 * of its end may be among those. They are as many as the engine has open, so they need no bound of their own.
 */
export class OpenChildren {
  readonly #parts: OpenChildrenParts;
  readonly #entries: Map<string, Entry> = new Map();
  readonly #due: Set<string> = new Set();
  readonly #cancels: Set<() => void> = new Set();
  #looking = 0;
  #isClosed = false;

  constructor(parts: OpenChildrenParts) {
    this.#parts = parts;
  }

  /** Number of look-ups that are due or under way. */
  get looking(): number {
    return this.#looking + this.#due.size + this.#cancels.size;
  }

  /** Makes a call about a child, and remembers the child while it is open. Resolves and rejects as the call does. */
  async during<T extends ChildReport | NotFound | "voided">(
    child: ChildRequest,
    call: Promise<T>,
  ): Promise<T> {
    const entry = this.#entries.get(child.childId) ?? { ...NEW, child };
    this.#entries.set(child.childId, entry);
    entry.calls++;
    try {
      const answer = await call;
      if (isReport(answer)) this.#note(entry, answer);
      // It can never execute, so that no report of its end will come.
      else if (answer === "voided") [entry.isOpen, entry.isOver] = [false, true];
      return answer;
    } finally {
      entry.calls--;
      this.#settle(entry);
    }
  }

  /** Takes a report that the venue has sent. */
  received(report: ChildReport): void {
    const entry = this.#entries.get(report.childId);
    if (entry === undefined) return;
    this.#note(entry, report);
    this.#settle(entry);
  }

  /** Looks up every child that is open, and each that is asked about now once its answer has come. */
  missed(): void {
    for (const entry of this.#entries.values()) {
      entry.isDue = true;
      this.#settle(entry);
    }
  }

  /** Looks up one child whose report cannot be read. */
  missedOf(childId: string): void {
    const entry = this.#entries.get(childId);
    if (entry === undefined) return;
    entry.isDue = true;
    this.#settle(entry);
  }

  /** Ends all look-ups. */
  close(): void {
    this.#isClosed = true;
    for (const cancel of this.#cancels) cancel();
    this.#due.clear();
  }

  #note(entry: Entry, { state }: ChildReport): void {
    // An answer may be older than an event that came before it.
    if (state === "open") entry.isOpen = !entry.isOver;
    else [entry.isOpen, entry.isOver] = [false, true];
  }

  #settle(entry: Entry): void {
    if (entry.calls > 0) return;
    if (!entry.isOpen) {
      this.#entries.delete(entry.child.childId);
      this.#due.delete(entry.child.childId);
    } else if (entry.isDue) {
      entry.isDue = false;
      this.#due.add(entry.child.childId);
      this.#lookNext();
    }
  }

  #lookNext(): void {
    while (!this.#isClosed && this.#looking < AT_A_TIME) {
      const [childId] = this.#due;
      if (childId === undefined) return;
      this.#due.delete(childId);
      const entry = this.#entries.get(childId);
      if (entry !== undefined) void this.#look(entry);
    }
  }

  async #look(entry: Entry): Promise<void> {
    this.#looking++;
    try {
      const answer = await this.#parts.lookup(entry.child);
      if (isReport(answer) && !this.#isClosed) {
        this.#parts.report(answer);
        this.received(answer);
      }
    } catch {
      // A venue that cannot say is asked again: the end of the child may have been missed.
      this.#later(entry);
    } finally {
      this.#looking--;
      this.#lookNext();
    }
  }

  #later(entry: Entry): void {
    if (this.#isClosed) return;
    const { clock } = this.#parts;
    const cancel = clock.schedule(clock.monotonicMs() + AGAIN_MS, () => {
      this.#cancels.delete(cancel);
      entry.isDue = true;
      if (this.#entries.get(entry.child.childId) === entry) this.#settle(entry);
    });
    this.#cancels.add(cancel);
  }
}

const NEW = { calls: 0, isOpen: false, isOver: false, isDue: false };
