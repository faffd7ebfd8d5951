import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSystemClock } from "../../../src/adapters/node/index.ts";
import type { VenueClient } from "../../../src/adapters/venue-http/index.ts";
import type { ChildReport, ChildRequest } from "../../../src/model/index.ts";
import { createCatalogue } from "../../../src/sandbox/catalogue.ts";
import { openPaperVenue, type PaperVenue } from "../../../src/simulator/index.ts";
import { childOf, quoteOf } from "../../sandbox/venue-world.ts";
import { type Cut, createCutter } from "./cutter.ts";
import { connect, serveVenue, until, watched } from "./loopback.ts";

const RUNS = 8;
const CHILDREN = 6;

/** A paper venue behind server, proxy and client, and everything that its client has heard of each child. */
async function openWorld() {
  const clock = createSystemClock();
  const paper = await openPaperVenue({ clock, instruments: createCatalogue() });
  await paper.setBalances(1, { USD: "1000000", BTC: "10" });
  paper.quote(quoteOf({ bids: ["100"], asks: ["101"] }));
  const running = await serveVenue({ venue: watched(paper, clock) });
  const cutter = await createCutter(running.port);
  const client = await connect(cutter.url, { timeoutMs: 2_000 });
  const received = new Map<string, Map<string, string>>();
  const take = ({ childId, fills }: ChildReport): void => {
    const known = received.get(childId) ?? new Map<string, string>();
    for (const fill of fills) known.set(fill.executionId, `${fill.quantity} at ${fill.price}`);
    received.set(childId, known);
  };
  client.venue.subscribe(({ report }) => take(report));
  const close = async (): Promise<void> => {
    client.close();
    await cutter.close();
    await running.close();
    await paper.close();
  };
  return { clock, paper, running, cutter, client, received, take, close };
}

const newChild = (): ChildRequest => childOf({ quantity: "0.01", accountId: 1 });

/** Submits a child as an engine does: one call, and look-ups for as long as the outcome is unknown. */
async function runChild(
  { venue }: VenueClient,
  child: ChildRequest,
  deadlineMs: number,
): Promise<ChildReport | undefined> {
  const submitted = await venue
    .submit(child, { deadlineMs, signal: AbortSignal.timeout(5_000) })
    .catch(() => undefined);
  if (submitted !== undefined && submitted.state !== "open") return submitted;
  for (;;) {
    const answer = await venue.lookup(child).catch(() => undefined);
    if (answer === undefined) continue;
    if (answer === "not-found" || !("childId" in answer)) return undefined;
    if (answer.state !== "open") return answer;
  }
}

const bytes = fc.option(fc.integer({ min: 0, max: 900 }), { nil: undefined, freq: 2 });
const cut: fc.Arbitrary<Cut> = fc
  .record({ toServer: bytes, toClient: bytes })
  .map(({ toServer, toClient }) => ({
    ...(toServer !== undefined && { toServer }),
    ...(toClient !== undefined && { toClient }),
  }));

/** What the venue has executed of a child. */
const executedBy = (paper: PaperVenue, childId: string): ReadonlyMap<string, string> =>
  new Map(paper.fills({ childId }).map((fill) => [fill.executionId, `${fill.quantity} at ${fill.price}`]));

describe("a connection that is cut at any byte", () => {
  it("no child arrives twice, and every execution is heard once by its id", async () => {
    const world = await openWorld();
    const { clock, paper, cutter, client, received, take } = world;
    const plans = fc.array(cut, { minLength: 1, maxLength: 24 });
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        const left = [...plan];
        cutter.plan(() => left.shift() ?? {});
        // The connections of the run before would carry the whole run.
        cutter.cutAll();
        const children = Array.from({ length: CHILDREN }, newChild);
        const deadlineMs = clock.nowMs() + 60_000;
        const outcomes = await Promise.all(children.map((child) => runChild(client, child, deadlineMs)));
        for (const outcome of outcomes) if (outcome !== undefined) take(outcome);
        for (const { childId } of children) {
          const row = paper.children().find(({ clientOrderId }) => clientOrderId === childId);
          expect(row?.submissions ?? 0, `submissions of ${childId}`).toBeLessThanOrEqual(1);
          expect(received.get(childId) ?? new Map()).toEqual(executedBy(paper, childId));
        }
      }),
      { numRuns: RUNS },
    );
    expect(cutter.cuts()).toBeGreaterThan(RUNS);
    await world.close();
  });

  it("the end of a child that comes during a break is heard after it, once more by look-up if the history is gone", async () => {
    for (const isHistoryGone of [false, true]) {
      const world = await openWorld();
      const { clock, paper, running, cutter, client } = world;
      const ends: ChildReport[] = [];
      client.venue.subscribe(({ report }) => ends.push(report));
      const live = (): boolean => client.status().streams.every(({ isLive }) => isLive);
      await until(live, "the streams");
      paper.setFault({ mode: "hold", count: 1 });
      const child = newChild();
      const submit = { deadlineMs: clock.nowMs() + 60_000, signal: new AbortController().signal };
      expect((await client.venue.submit(child, submit)).state).toBe("open");
      cutter.setOutage(true);
      await until(() => client.status().streams.every(({ isLive }) => !isLive), "the break");
      await paper.release(child.childId);
      let successor = running;
      if (isHistoryGone) {
        await running.close();
        successor = await serveVenue({ venue: watched(paper, clock) });
        cutter.setPort(successor.port);
      }
      cutter.setOutage(false);
      await until(() => ends.length > 0, "the report");
      expect(ends[0]).toMatchObject({ childId: child.childId, state: "closed", fills: [{}] });
      await world.close();
      if (isHistoryGone) await successor.close();
    }
  });
});
