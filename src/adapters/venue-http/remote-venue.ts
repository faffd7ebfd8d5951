import { pause } from "../../common/index.ts";
import { harmless } from "../../host-answers/index.ts";
import type { ChildReport, ChildRequest } from "../../model/index.ts";
import type {
  ExecutionVenue,
  NotFound,
  SubmitOptions,
  VenueCapabilities,
  VenueEvent,
} from "../../ports/index.ts";
import { type StreamMessage, type StreamState, VenueFollower } from "./follower.ts";
import { OpenChildren } from "./open-children.ts";
import type { RemoteParts } from "./remote-parts.ts";
import { capabilities as capabilitiesCodec, VENUE_ROUTES } from "./routes.ts";
import { isReport, report as reportCodec } from "./values.ts";
import { VenueHttpError } from "./venue-http-error.ts";

const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;

type Listener = (event: VenueEvent) => void;

/** The execution venue port on a venue server. */
export class RemoteVenue implements ExecutionVenue {
  readonly venueTimeMs?: () => Promise<number>;
  readonly voidChild?: (child: ChildRequest) => Promise<ChildReport | "voided">;
  readonly #parts: RemoteParts;
  readonly #listeners: Map<VenueFollower, Listener> = new Map();
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

  /** States of the streams of reports. */
  get streams(): readonly StreamState[] {
    return [...this.#listeners.keys()].map(({ state }) => state);
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
    const { link, silenceMs, telemetry } = this.#parts;
    const follower = new VenueFollower({
      ...{ link, name: "events", silenceMs, telemetry },
      began: (hello, isAnew) => this.#began(hello, isAnew),
      received: (message) => this.#receive(message, listener),
    });
    this.#listeners.set(follower, listener);
    return () => {
      follower.close();
      this.#listeners.delete(follower);
    };
  }

  /** Ends the streams and the look-ups. */
  close(): void {
    this.#open.close();
    for (const follower of this.#listeners.keys()) follower.close();
    this.#listeners.clear();
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
    for (const listener of [...this.#listeners.values()]) {
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
