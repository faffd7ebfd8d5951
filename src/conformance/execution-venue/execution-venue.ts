import type { VenueEvent } from "../../ports/index.ts";
import { holds, same } from "../checks.ts";
import { declareSuite, type TestFramework } from "../suite.ts";
import { executions } from "./executions.ts";
import { capability, lookups, voiding } from "./lookups.ts";
import { refusals, submits } from "./submits.ts";
import {
  type ExecutionVenueSubject,
  executionVenueSubject,
  expectClosed,
  expectReport,
  lineOf,
  type Part,
  textsOf,
  type VenueRules,
  VenueWorld,
} from "./world.ts";

/** Submits a child that stays open. */
async function openChild(world: VenueWorld): Promise<ReturnType<VenueWorld["child"]>> {
  await world.offer(["0.4 at 100"]);
  await world.place.hold?.();
  const child = world.child();
  const { state } = await world.submit(child);
  same(`state of the submit of ${lineOf(child)} that rests`, state, "open");
  return child;
}

/** Rules of the events that the venue sends by itself. */
const events: VenueRules = {
  "the end of an open child comes as an event with all its executions, and the look-up agrees": {
    remedy:
      "Subscribe to the exchange's stream of orders. A closed report is final for the engine, so send it only with every execution; read missing trades before.",
    where: { openChildren: true },
    async check(world) {
      const child = await openChild(world);
      same("state of the lookup of an open child", (await world.found(child)).state, "open");
      await world.place.settle?.(child.childId);
      expectClosed("the last event on the child", await world.lastReport(child), ["0.4 at 100"]);
      expectClosed("lookup of the child", await world.found(child), ["0.4 at 100"]);
    },
  },
  "every report on an open child has all its executions so far, not only the new one": {
    remedy:
      "The exchange sends increments. Add each to the executions of the order that you know, by its id, and report all of them.",
    where: { partialReports: true },
    async check(world) {
      const child = await openChild(world);
      await world.place.fill?.(child.childId, { quantity: "0.1", price: "100" });
      expectReport("the event after 0.1 at 100", await world.lastReport(child), "open", ["0.1 at 100"]);
      await world.place.fill?.(child.childId, { quantity: "0.2", price: "99" });
      const both: readonly Part[] = ["0.1 at 100", "0.2 at 99"];
      expectReport("the event after 0.2 at 99 too", await world.lastReport(child), "open", both);
      expectReport("lookup of the open child", await world.found(child), "open", both);
    },
  },
  "an adapter that declares no partial reports shows no execution of an open child": {
    remedy: "Declare `partialReports: true` and a `fill` of the place, so that the suite can test them.",
    where: { openChildren: true, partialReports: false },
    async check(world) {
      const child = await openChild(world);
      await world.place.idle();
      const states = [await world.found(child), ...world.reports(child)].filter(
        ({ state }) => state === "open",
      );
      const shown = states.map(textsOf);
      same(
        "reports on an open child",
        shown,
        states.map(() => ["open"]),
      );
    },
  },
  "I15: an event that comes twice reports the same executions under the same ids": {
    remedy: "Recognize an execution by its id. Do not add the quantity of an event that has been processed.",
    where: { openChildren: true },
    async check(world) {
      const child = await openChild(world);
      await world.place.settle?.(child.childId);
      await world.place.idle();
      await world.place.repeat?.(child.childId);
      expectClosed("the last event after it came twice", await world.lastReport(child), ["0.4 at 100"]);
      const ids = world.reports(child).flatMap(({ fills }) => fills.map(({ executionId }) => executionId));
      const due = (await world.found(child)).fills.map(({ executionId }) => executionId);
      same("the executionIds in all events", [...new Set(ids)].toSorted(), due.toSorted());
    },
  },
  "every listener receives every event until it is removed, and no event after that": {
    remedy: "Keep the listeners in a set, and return a function that removes exactly this one.",
    where: { openChildren: true },
    async check(world) {
      const [staying, leaving] = [[] as VenueEvent[], [] as VenueEvent[]];
      world.venue.subscribe((event) => staying.push(event));
      const leave = world.venue.subscribe((event) => leaving.push(event));
      const first = await openChild(world);
      await world.place.settle?.(first.childId);
      await world.place.idle();
      const before = leaving.length;
      holds(
        "events of a listener that was added later",
        before > 0,
        "the events on the first child",
        leaving,
      );
      leave();
      const second = await openChild(world);
      await world.place.settle?.(second.childId);
      expectClosed("the event on the second child", await world.lastReport(second), ["0.4 at 100"]);
      same("number of events after the listener was removed", leaving.length, before);
      const others = staying.filter(({ report }) => report.childId === second.childId);
      holds("events of a listener that stays", others.length > 0, "the events on the second child", others);
    },
  },
  "after a restart, events on the children of the process before are delivered": {
    remedy: "Map an event by the child id in it, also if this process has not submitted the child.",
    where: { openChildren: true },
    async check(world) {
      const child = await openChild(world);
      await world.restart();
      same("state of the lookup after a restart", (await world.found(child)).state, "open");
      await world.place.settle?.(child.childId);
      expectClosed("the last event after a restart", await world.lastReport(child), ["0.4 at 100"]);
    },
  },
  "an event that comes before the answer to the submit is delivered, and the answer after it is complete or open":
    {
      remedy:
        "Subscribe before you submit, and map events by the child id. The answer may be older than the event; report what it says.",
      where: { earlyEvents: true },
      async check(world) {
        await world.offer(["0.4 at 100"]);
        const release = await world.place.withholdAnswer?.();
        const child = world.child();
        const sent = world.send(child);
        expectClosed("the event before the answer", await world.lastReport(child), ["0.4 at 100"]);
        await release?.();
        const answer = await world.report("the answer after the event", child, sent);
        if (answer.state !== "open") expectClosed("the answer after the event", answer, ["0.4 at 100"]);
        expectClosed("lookup after the answer", await world.found(child), ["0.4 at 100"]);
      },
    },
  "an adapter that declares no early events sends none before the answer to the submit": {
    remedy:
      "Declare `earlyEvents: true` and a `withholdAnswer` of the place, so that the suite can test them.",
    where: { earlyEvents: false },
    async check(world) {
      await world.offer(["0.4 at 100"]);
      const child = world.child();
      const reported = world.send(child).then(() => world.reports(child).length);
      same("number of events before the answer", await world.answer("submit", reported), 0);
    },
  },
  "complaint 33: an execution after the close is an event with all executions, also for a later listener": {
    remedy:
      "The engine looks a closed child up no more. Keep such reports, and send them again to every new listener, also after a restart.",
    where: { lateFills: true },
    async check(world) {
      await world.offer(["0.4 at 100"]);
      const child = world.child();
      expectClosed("submit against 0.4 at 100", await world.submit(child), ["0.4 at 100"]);
      await world.place.fillLate?.(child.childId, {
        quantity: "0.1",
        price: "99",
      });
      const parts: readonly Part[] = ["0.4 at 100", "0.1 at 99"];
      expectClosed("the event after 0.1 at 99 too", await world.lastReport(child), parts);
      await world.restart();
      expectClosed("the event for a new listener after a restart", await world.lastReport(child), parts);
      expectClosed("lookup after that", await world.found(child), parts);
    },
  },
  "an adapter that declares no late executions never changes a closed child": {
    remedy:
      "Declare `lateFills: true` and a `fillLate` of the place, or report a child closed only when the exchange cannot execute it any more.",
    where: { lateFills: false },
    async check(world) {
      await world.offer(["0.4 at 100"]);
      const child = world.child();
      await world.submit(child);
      await world.offer(["9 at 100"]);
      await world.place.idle();
      await world.submit(world.child());
      await world.restart();
      await world.place.idle();
      expectClosed("lookup of a closed child after a restart", await world.found(child), ["0.4 at 100"]);
      const others = world.reports(child).map(textsOf);
      same(
        "events on a closed child that a new listener received",
        others.map(String),
        others.map(() => "closed,0.4 at 100"),
      );
    },
  },
};

/** All rules of the execution venue port. */
export const executionVenueRules: Readonly<Record<string, VenueRules>> = {
  ...{ capabilities: capability, executions, submits, refusals, "look-ups": lookups, events, voiding },
};

/**
 * Declares one test for each rule of the execution venue port. Every test has an exchange of its own, which it creates
 * and removes. Throws a TypeError that names a part of the description that is missing, unknown or of the wrong type;
 * a test that fails throws a {@link ConformanceError}.
 *
 * @example
 * ```ts
 * import { describe, it } from "node:test";
 * import { type ExecutionVenuePlace, testExecutionVenue } from "managed-orders/conformance";
 *
 * // examples/foreign-venue has a whole place
 * export const declareTests = (createPlace: () => ExecutionVenuePlace): void =>
 *   testExecutionVenue({ describe, it }, {
 *     name: "my exchange",
 *     supports: {
 *       honoursDeadline: true,
 *       canVoid: false,
 *       venueTime: true,
 *       abortable: true,
 *       openChildren: false,
 *       partialReports: false,
 *       earlyEvents: false,
 *       lateFills: false,
 *       finalRefusals: true,
 *       fundsMark: true,
 *     },
 *     createPlace,
 *   });
 * ```
 */
export function testExecutionVenue(framework: TestFramework, subject: ExecutionVenueSubject): void {
  executionVenueSubject(subject, "testExecutionVenue");
  declareSuite(framework, {
    port: "execution venue",
    subject,
    groups: executionVenueRules,
    open: (atEnd) => VenueWorld.create(subject, atEnd),
  });
}
