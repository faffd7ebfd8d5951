import type { ExchangeApi } from "../../../examples/foreign-venue/exchange.ts";
import { createForeignVenue } from "../../../examples/foreign-venue/venue.ts";
import type { ExecutionVenueSupport } from "../../../src/conformance/index.ts";
import { quantity } from "../../../src/decimal/index.ts";
import type { ChildReport, ChildRequest, Fill } from "../../../src/model/index.ts";
import type { ExecutionVenue, NotFound, SubmitOptions } from "../../../src/ports/index.ts";

type Parts = Partial<ExecutionVenueSupport>;

/** A mistake of an adapter, and the manifest under which the suite must find it. */
export type PlantedFault = Readonly<{
  /** What the author of the adapter did. */
  mistake: string;
  supports?: Parts;
  create: (api: ExchangeApi) => ExecutionVenue;
}>;

/** A venue with other members. A function in their place sees the honest venue. */
export const changed =
  (change: (honest: ExecutionVenue) => Partial<ExecutionVenue>): PlantedFault["create"] =>
  (api) => {
    const honest = createForeignVenue(api);
    return { ...honest, ...change(honest) };
  };

type Say = (report: ChildReport, child?: ChildRequest) => unknown;

/** A venue whose reports are all changed: those of submits, look-ups and events. */
export const answering = (say: Say): PlantedFault["create"] =>
  changed((honest) => ({
    submit: async (child, options) => say(await honest.submit(child, options), child) as never,
    lookup: async (child) => sayFound(await honest.lookup(child), (report) => say(report, child)),
    subscribe: (listener) => honest.subscribe(({ report }) => listener({ report: say(report) as never })),
  }));

const sayFound = (found: ChildReport | NotFound, say: Say): never =>
  (typeof found === "object" && "childId" in found ? say(found) : found) as never;

/** A venue that changes every execution. */
export const filling = (change: (fill: Fill, index: number) => object): PlantedFault["create"] =>
  answering((report) => ({ ...report, fills: report.fills.map(change) }));

/** A venue that changes what it sends. */
export const sending = (
  change: (child: ChildRequest, options: SubmitOptions) => Partial<ChildRequest & SubmitOptions>,
): PlantedFault["create"] =>
  changed((honest) => ({
    submit: (child, options) => {
      const other = { ...child, ...options, ...change(child, options) };
      return honest.submit(other, other);
    },
  }));

/** Returns a limit price with two decimals: above the cap of no BUY, but below the floor of a SELL. */
export const roundedDown = ({ limitPrice }: ChildRequest): Partial<ChildRequest> =>
  limitPrice === undefined ? {} : { limitPrice: (Number(limitPrice) - (Number(limitPrice) % 1e6)) as never };

/** A venue that changes its answers to refused children. */
export const refusing = (change: (report: ChildReport) => object): PlantedFault["create"] =>
  answering((report) => (report.state === "rejected" ? change(report) : report));

export const asNumber = (steps: unknown, scale: number): number => Number(steps) / 10 ** scale;
export const executed = ({ fills }: ChildReport): bigint =>
  fills.reduce((sum, fill) => sum + BigInt(fill.quantity), 0n);
export const without = <T>(items: readonly T[]): readonly T[] => items.slice(0, -1);
export const refusal = ({ childId }: ChildRequest): ChildReport => ({
  childId,
  state: "rejected",
  fills: [],
});
const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** No part of the exchange's stream: every child ends in the answer to its submit. */
export const QUIET: Parts = {
  openChildren: false,
  partialReports: false,
  earlyEvents: false,
  lateFills: false,
};
export const silent = (): (() => void) => () => undefined;
export const never = (): Promise<never> => new Promise(() => undefined);

export function looking(say: Say): PlantedFault["create"] {
  return changed((honest) => ({ lookup: async (child) => sayFound(await honest.lookup(child), say) }));
}

export function reporting(say: Say): PlantedFault["create"] {
  return changed((honest) => ({
    subscribe: (listener) => honest.subscribe(({ report }) => listener({ report: say(report) as never })),
  }));
}

export function openAnswers(honest: ExecutionVenue): Partial<ExecutionVenue> {
  return {
    submit: async (child, options) => ({
      ...(await honest.submit(child, options)),
      state: "open",
      fills: [],
    }),
  };
}

export const wanted = ({ childId }: ChildReport): Fill => ({
  executionId: `x-${childId}`,
  quantity: quantity("1"),
  price: 1 as never,
  timeMs: 0,
});

export function countedIds(): PlantedFault["create"] {
  let count = 0;
  return filling((fill) => ({ ...fill, executionId: String(++count) }));
}

/** Gives every submit a client id of its own, and finds the first. */
export function freshIds(): PlantedFault["create"] {
  const seen = new Map<string, number>();
  return changed((honest) => ({
    async submit(child, options) {
      const count = (seen.get(child.childId) ?? 0) + 1;
      seen.set(child.childId, count);
      const childId = count === 1 ? child.childId : `${child.childId}-${count}`;
      return { ...(await honest.submit({ ...child, childId }, options)), childId: child.childId };
    },
  }));
}

/** Keeps the answer that is awaited in the adapter, where the next submit replaces it. */
export function oneAnswer(): PlantedFault["create"] {
  return changed((honest) => {
    let awaited: Promise<ChildReport> | undefined;
    return {
      async submit(child, options) {
        awaited = honest.submit(child, options);
        await turn();
        return { ...(await awaited), childId: child.childId };
      },
    };
  });
}

/** Refuses voided children itself, as long as its process runs. */
export function voidsInMemory(): PlantedFault["create"] {
  return changed((honest) => {
    const voided = new Set<string>();
    return {
      async voidChild(child) {
        const found = await honest.lookup(child);
        if (typeof found === "object" && "childId" in found) return found;
        voided.add(child.childId);
        return "voided";
      },
      submit: async (child, options) =>
        voided.has(child.childId) ? refusal(child) : await honest.submit(child, options),
    };
  });
}

export function shortIds(): PlantedFault["create"] {
  const short = (child: ChildRequest): ChildRequest => ({ ...child, childId: child.childId.slice(0, 20) });
  return changed((honest) => ({
    submit: async (child, options) => ({
      ...(await honest.submit(short(child), options)),
      childId: child.childId,
    }),
    lookup: async (child) =>
      sayFound(await honest.lookup(short(child)), (report) => ({ ...report, childId: child.childId })),
  }));
}

type Guess = (child: ChildRequest) => ChildReport;

export function onFailure(kind: "abort" | "connection", guess: Guess): PlantedFault["create"] {
  return changed((honest) => ({
    submit: (child, options) =>
      honest.submit(child, options).catch((error: unknown) => {
        if (kind === "abort" && !options.signal.aborted) throw error;
        return guess(child);
      }),
  }));
}

export function onSilence(guess: Guess): PlantedFault["create"] {
  return changed((honest) => ({
    submit: (child, options) =>
      Promise.race([honest.submit(child, options), turn().then(() => guess(child))]),
  }));
}

type Instead = (childId: string, notFoundAtMs: number) => unknown;

export function onNotFound(instead: Instead): PlantedFault["create"] {
  return changed((honest) => ({
    async lookup(child) {
      const found = await honest.lookup(child);
      if (typeof found !== "object" || !("notFoundAtMs" in found)) return found;
      return instead(child.childId, found.notFoundAtMs) as never;
    },
  }));
}

/** A venue that tells another time than the exchange's. */
export function onTime(instead: (atMs: number) => number): PlantedFault["create"] {
  return changed((honest) => ({
    venueTimeMs: async () => instead((await honest.venueTimeMs?.()) ?? 0),
  }));
}

/** A venue that asks the exchange for its time once. */
export function storedTime(): PlantedFault["create"] {
  return changed((honest) => {
    let requested: Promise<number> | undefined;
    return {
      venueTimeMs() {
        requested ??= honest.venueTimeMs?.() ?? Promise.resolve(0);
        return requested;
      },
    };
  });
}

/** Finds only the children that `known` names. */
const finding = (honest: ExecutionVenue, known: ReadonlySet<string>): Pick<ExecutionVenue, "lookup"> => ({
  lookup: async (child) => (known.has(child.childId) ? await honest.lookup(child) : "not-found"),
});

/** Knows only children that this instance has sent. */
export function ownMemory(): PlantedFault["create"] {
  return (api) => {
    const honest = createForeignVenue(api);
    const sent = new Set<string>();
    const submit: ExecutionVenue["submit"] = (child, options) => {
      sent.add(child.childId);
      return honest.submit(child, options);
    };
    return { ...honest, submit, ...finding(honest, sent) };
  };
}

/** Knows only children whose submit was answered. */
export function answeredOnly(): PlantedFault["create"] {
  const answered = new Set<string>();
  return changed((honest) => ({ submit: noting(honest, answered), ...finding(honest, answered) }));
}

const noting =
  (honest: ExecutionVenue, answered: Set<string>): ExecutionVenue["submit"] =>
  async (child, options) => {
    const report = await honest.submit(child, options);
    answered.add(child.childId);
    return report;
  };

export function forgetful(): PlantedFault["create"] {
  const aborted = new Set<string>();
  return changed((honest) => ({
    submit: (child, options) => {
      options.signal.addEventListener("abort", () => aborted.add(child.childId));
      return honest.submit(child, options);
    },
    lookup: async (child) => (aborted.has(child.childId) ? "not-found" : await honest.lookup(child)),
  }));
}

export function accumulated(): PlantedFault["create"] {
  const all = new Map<string, Fill>();
  return looking((report) => {
    for (const fill of report.fills) all.set(fill.executionId, fill);
    return { ...report, fills: [...all.values()] };
  });
}

export function addedUp(): PlantedFault["create"] {
  let count = 0;
  return reporting((report) => ({
    ...report,
    fills: report.fills.map((fill) => ({ ...fill, executionId: `${fill.executionId}-${++count}` })),
  }));
}

export function firstListener(): PlantedFault["create"] {
  return (api) => {
    const honest = createForeignVenue(api);
    let has = false;
    return {
      ...honest,
      subscribe: (listener) => {
        if (has) return () => undefined;
        has = true;
        return honest.subscribe(listener);
      },
    };
  };
}

/** Passes on only events on children that this instance has sent. */
export function ownEvents(): PlantedFault["create"] {
  return (api) => {
    const honest = createForeignVenue(api);
    const sent = new Set<string>();
    return {
      ...honest,
      submit: (child, options) => {
        sent.add(child.childId);
        return honest.submit(child, options);
      },
      subscribe: (listener) =>
        honest.subscribe((event) => void (sent.has(event.report.childId) && listener(event))),
    };
  };
}

export function answeredEvents(): PlantedFault["create"] {
  const answered = new Set<string>();
  return changed((honest) => ({
    submit: noting(honest, answered),
    subscribe: (listener) =>
      honest.subscribe((event) => void (answered.has(event.report.childId) && listener(event))),
  }));
}

/** Answers a submit after its events. */
export function earlyEvents(): PlantedFault["create"] {
  return changed((honest) => ({
    async submit(child, options) {
      const report = await honest.submit(child, options);
      await turn();
      return report;
    },
  }));
}

export function untilClosed(): PlantedFault["create"] {
  return changed((honest) => ({
    subscribe: (listener) => {
      const over = new Set<string>();
      return honest.subscribe(({ report }) => {
        if (!over.has(report.childId)) listener({ report });
        if (report.state === "closed") over.add(report.childId);
      });
    },
  }));
}

/** Shows no executions of children that an earlier instance has sent. */
export function losesOld(): PlantedFault["create"] {
  return (api) => {
    const honest = createForeignVenue(api);
    const sent = new Set<string>();
    return {
      ...honest,
      submit: (child, options) => {
        sent.add(child.childId);
        return honest.submit(child, options);
      },
      lookup: async (child) =>
        sayFound(await honest.lookup(child), (report) =>
          sent.has(child.childId) ? report : { ...report, fills: [] },
        ),
    };
  };
}

export function voidsOnce(): PlantedFault["create"] {
  const voided = new Set<string>();
  return changed((honest) => ({
    async voidChild(child) {
      if (voided.has(child.childId)) throw new Error("the id is retired");
      voided.add(child.childId);
      return (await honest.voidChild?.(child)) ?? "voided";
    },
  }));
}
