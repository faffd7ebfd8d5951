import { formatPrice, formatQuantity, price, type Quantity, quantity } from "../../src/decimal/index.ts";
import { childIdIn, readReport } from "../../src/host-answers/index.ts";
import type { ChildRequest, Fill } from "../../src/model/index.ts";
import type {
  ChildReport,
  ExecutionVenue,
  NotFound,
  VenueCapabilities,
  VenueEvent,
} from "../../src/ports/index.ts";

/** A scripted venue's reaction to a submit: answer, fail, or never answer. */
export type Answer = ChildReport | Error | "silence";

/** A venue whose every answer a test decides; it counts arrivals and never executes by itself. */
export type ScriptedVenue = ExecutionVenue & {
  readonly submitted: ChildRequest[];
  readonly deadlines: number[];
  readonly lookups: string[];
  readonly voids: string[];
  /** Decides the answer to a submit; fills completely at 100 by default. */
  onSubmit: (child: ChildRequest) => Answer | Promise<Answer>;
  /** Decides the answer to a look-up; "not-found" by default. */
  onLookup: (child: ChildRequest) => ChildReport | NotFound | Error | Promise<ChildReport | NotFound>;
  /** Children that were looked up although the venue had closed them. */
  readonly closedLookups: string[];
  /** Decides the answer to such a look-up; the report that closed it, by default. */
  onClosedLookup: (child: ChildRequest) => ReturnType<ScriptedVenue["onLookup"]>;
  /** Decides the answer to a void; "voided" by default. */
  onVoid: (child: ChildRequest) => ChildReport | "voided" | Error | Promise<ChildReport | "voided">;
  /** Sends this report unasked. */
  say(report: ChildReport): void;
};

let executions = 0;

/** An execution with its own id. */
export const fillOf = (of: Readonly<{ quantity: Quantity | string; price?: string; id?: string }>): Fill => ({
  executionId: of.id ?? `x${++executions}`,
  quantity: typeof of.quantity === "string" ? quantity(of.quantity) : of.quantity,
  price: price(of.price ?? "100"),
  timeMs: 0,
});

/** A report that fills a child completely, at 100 unless that is beyond its limit. */
export const filled = (child: ChildRequest, at: string = priceInside(child)): ChildReport => ({
  childId: child.childId,
  state: "closed",
  fills: [fillOf({ quantity: child.quantity, price: at, id: `x-${child.childId}` })],
});

/** 100, or the child's limit if 100 is beyond it. */
export function priceInside({ side, limitPrice }: ChildRequest): string {
  if (limitPrice === undefined) return "100";
  const isBeyond = side === "BUY" ? limitPrice < price("100") : limitPrice > price("100");
  return isBeyond ? formatPrice(limitPrice) : "100";
}

/** A report with these fills. */
export const reported = (
  childId: string,
  state: ChildReport["state"],
  fills: readonly Fill[] = [],
): ChildReport => ({ childId, state, fills });

/** The children sent to a venue, as text: "BUY 1 @ 100", without a price when at market. */
export const sentTo = (venue: Readonly<{ submitted: readonly ChildRequest[] }>): readonly string[] =>
  venue.submitted.map(({ side, quantity: size, limitPrice }) =>
    [side, formatQuantity(size), ...(limitPrice === undefined ? [] : ["@", formatPrice(limitPrice)])].join(
      " ",
    ),
  );

export function createScriptedVenue(capabilities: Partial<VenueCapabilities> = {}): ScriptedVenue {
  const listeners = new Set<(event: VenueEvent) => void>();
  const closed = new Map<string, ChildReport>();
  const received = <T>(answer: T): T => {
    const childId = childIdIn({ report: answer });
    const reply = childId === undefined ? undefined : readReport(answer, childId);
    if (reply?.kind === "report" && reply.report.state === "closed")
      closed.set(reply.report.childId, reply.report);
    return answer;
  };
  const venue: ScriptedVenue = {
    capabilities: { honoursDeadline: true, canVoid: false, ...capabilities },
    submitted: [],
    deadlines: [],
    lookups: [],
    voids: [],
    onSubmit: (child) => filled(child),
    closedLookups: [],
    onLookup: () => "not-found",
    onClosedLookup: ({ childId }) => closed.get(childId) ?? "not-found",
    onVoid: () => "voided",
    async submit(child, { deadlineMs }) {
      venue.submitted.push(child);
      venue.deadlines.push(deadlineMs);
      const answer = received(await venue.onSubmit(child));
      if (answer instanceof Error) throw answer;
      return answer === "silence" ? await new Promise<never>(() => undefined) : answer;
    },
    async lookup(child) {
      const isClosed = closed.has(child.childId);
      (isClosed ? venue.closedLookups : venue.lookups).push(child.childId);
      const answer = received(await (isClosed ? venue.onClosedLookup : venue.onLookup)(child));
      if (answer instanceof Error) throw answer;
      return answer;
    },
    async voidChild(child) {
      venue.voids.push(child.childId);
      const answer = await venue.onVoid(child);
      if (answer instanceof Error) throw answer;
      return answer;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    say(report) {
      received(report);
      for (const listener of listeners) listener({ report });
    },
  };
  return venue;
}
