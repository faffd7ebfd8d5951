import type { ChildRequest } from "../../model/index.ts";
import { holds, refused, same } from "../checks.ts";
import { executesNothing, expectClosed, type Part, type VenueRules, type VenueWorld } from "./world.ts";

const PARTS: readonly Part[] = ["0.4 at 100", "0.3 at 101"];

const timeOf = ({ venue }: VenueWorld): Promise<number> =>
  venue.venueTimeMs?.() ?? Promise.reject(new Error("the adapter has no venueTimeMs"));

/** Rules of looking a child up. */
export const lookups: VenueRules = {
  "a look-up reports all that the submit reported, also when the market has moved on": {
    remedy:
      "Build the answers to `submit` and `lookup` with the same function, from the exchange's record of the order and of its trades.",
    async check(world) {
      const child = await world.executes(PARTS);
      await world.offer(["9 at 50"]);
      await world.submit(world.child());
      expectClosed("lookup of the first child after another one", await world.found(child), PARTS);
    },
  },
  "I22: after a restart, a look-up finds every child of the process before": {
    remedy:
      'Ask the exchange by the child id. An adapter that remembers children in its own memory answers "not-found" after a crash, and the child is sent again.',
    async check(world) {
      await world.offer(PARTS);
      const answered = world.child();
      await world.submit(answered);
      await world.offer(["1 at 100"]);
      await world.place.lose("answer");
      const unanswered = world.child();
      await world.outcome(world.send(unanswered));
      await world.restart();
      expectClosed("lookup, after a restart, of a child with an answer", await world.found(answered), PARTS);
      const found = await world.found(unanswered);
      expectClosed("lookup, after a restart, of a child without an answer", found, ["1 at 100"]);
    },
  },
  'a child that never arrived is "not found"': {
    remedy:
      'Resolve to "not-found", or to the exchange\'s time. Do not reject, and do not return undefined or an empty report.',
    async check(world) {
      await world.offer(["1 at 100"]);
      await world.submit(world.child());
      const answer = await world.lookup(world.child());
      const isNotFound = answer === "not-found" || "notFoundAtMs" in answer;
      holds("lookup of a child that was never submitted", isNotFound, "not found", answer);
    },
  },
  "not found comes with the exchange's own time, in milliseconds since the epoch": {
    remedy:
      "Take `notFoundAtMs` from the exchange's answer, such as its header or its time call. Do not use the clock of this machine.",
    where: { venueTime: true },
    async check(world) {
      const fromMs = world.place.nowMs();
      const answer = (await world.lookup(world.child())) as Readonly<{ notFoundAtMs?: number }>;
      const toMs = world.place.nowMs();
      const atMs = answer.notFoundAtMs ?? Number.NaN;
      const expected = `a notFoundAtMs from ${fromMs} to ${toMs}`;
      holds("lookup of a child that was never submitted", atMs >= fromMs && atMs <= toMs, expected, answer);
    },
  },
  "an adapter that can be asked for the time tells the exchange's, and rejects during an outage": {
    remedy:
      "Let `venueTimeMs` return the time of the exchange's own clock in milliseconds since the epoch, from an answer that it gives now. Let every failure reject. An exchange without a call for its time has no `venueTimeMs`.",
    where: { venueTime: true },
    async check(world) {
      if (world.venue.venueTimeMs === undefined) return;
      const query = (): Promise<unknown> => world.answer("venueTimeMs", timeOf(world));
      await world.offer(["1 at 100"]);
      for (let n = 0; n < 2; n++) {
        const fromMs = world.place.nowMs();
        const answer = await query();
        const toMs = world.place.nowMs();
        const isWhole = typeof answer === "number" && Number.isSafeInteger(answer);
        const isNow = isWhole && answer >= fromMs && answer <= toMs;
        holds("venueTimeMs", isNow, `a whole number from ${fromMs} to ${toMs}`, answer);
        await world.submit(world.child());
      }
      await world.place.setOutage(true);
      await refused("venueTimeMs during an outage", query);
      await world.place.setOutage(false);
    },
  },
  "an adapter that declares no venue time gives none": {
    remedy:
      'Declare `venueTime: true`, or answer "not-found" alone and have no `venueTimeMs`. A time that is not the exchange\'s must not decide about a deadline.',
    where: { venueTime: false },
    async check(world) {
      same("lookup of a child that was never submitted", await world.lookup(world.child()), "not-found");
      same("venueTimeMs is a function", typeof world.venue.venueTimeMs === "function", false);
    },
  },
  "complaint 31: while the exchange cannot be reached, a look-up rejects": {
    remedy:
      'Let every failure reject, also an error page and an empty body. "Not found" would count as proof that the child never arrived.',
    async check(world) {
      await world.offer(["1 at 100"]);
      const child = world.child();
      await world.submit(child);
      await world.place.setOutage(true);
      for (const [what, query] of [["a known", child] as const, ["an unknown", world.child()] as const])
        await refused(`lookup of ${what} child during an outage`, () =>
          world.answer("the lookup", world.venue.lookup(query)),
        );
      await world.place.setOutage(false);
      expectClosed("lookup after the outage", await world.found(child), ["1 at 100"]);
    },
  },
  "a look-up reports the requested child, and no execution of another": {
    remedy: "Filter orders and trades by the child id before you map them.",
    async check(world) {
      const parts: readonly Part[] = ["0.2 at 100", "0.3 at 200"];
      const children = [];
      for (const part of parts) {
        await world.offer([part]);
        const child = world.child();
        await world.submit(child);
        children.push({ child, part });
      }
      for (const { child, part } of children)
        expectClosed(`lookup of a child that executed ${part}`, await world.found(child), [part]);
    },
  },
  "a look-up changes nothing: the child can still be submitted, once": {
    remedy: "Only read in `lookup`. To void a child is the work of `voidChild`.",
    async check(world) {
      await world.offer(["9 at 100"]);
      const child = world.child();
      await world.lookup(child);
      await world.lookup(child);
      expectClosed("submit after two lookups", await world.submit(child), ["1 at 100"]);
    },
  },
};

const VOIDING = "voidChild of a child that has not arrived";

/** Returns a child that the venue has voided before it arrived, in a market that it could buy in. */
async function voidedChild(world: VenueWorld): Promise<ChildRequest> {
  await world.offer(["9 at 100"]);
  const child = world.child();
  same(VOIDING, await world.answer(VOIDING, voidOf(world, child)), "voided");
  return child;
}

const voidOf = ({ venue }: VenueWorld, child: ChildRequest): Promise<unknown> =>
  venue.voidChild?.(child) ?? Promise.reject(new Error("the adapter has no voidChild"));

/** Rules of voiding a child. */
export const voiding: VenueRules = {
  "a child that was voided before it arrived never executes": {
    remedy:
      "Take the id at the exchange, so that a submit that arrives later is refused. If the exchange cannot do that, declare `canVoid: false`.",
    where: { canVoid: true },
    async check(world) {
      const child = await voidedChild(world);
      same(`the second ${VOIDING}`, await world.answer(VOIDING, voidOf(world, child)), "voided");
      await world.outcome(world.send(child));
      await world.place.idle();
      const answer = await world.lookup(child);
      if (answer !== "not-found" && "childId" in answer)
        executesNothing("lookup after the late submit", answer);
      await world.bought("a child that was voided before it arrived", "0");
    },
  },
  "a child that was voided never executes after a restart either": {
    remedy:
      "Keep the voided id at the exchange, not in the memory of the adapter. The engine gives its quantity to the next child, and a late copy of the submit may come to another process.",
    where: { canVoid: true },
    async check(world) {
      const child = await voidedChild(world);
      await world.restart();
      await world.outcome(world.send(child));
      await world.bought("a child that was voided before a restart", "0");
      same(`${VOIDING}, after a restart`, await world.answer(VOIDING, voidOf(world, child)), "voided");
    },
  },
  "voiding a child that has executed returns its report": {
    remedy: 'Return the report of the order if the exchange has it. "voided" would drop its executions.',
    where: { canVoid: true },
    async check(world) {
      await world.offer(["0.4 at 100"]);
      const child = world.child();
      await world.submit(child);
      const call = "voidChild of a child that has executed 0.4 at 100";
      expectClosed(call, await world.report(call, child, voidOf(world, child)), ["0.4 at 100"]);
    },
  },
};

/** Rules of the declared capabilities. */
export const capability: VenueRules = {
  "the capabilities are those that are declared, and readable": {
    remedy:
      "Make `capabilities` and the manifest agree. The engine takes unreadable capabilities as none, and sends one child a second.",
    async check({ venue, supports }) {
      const { honoursDeadline, canVoid, ratePerSecond } = venue.capabilities;
      same("capabilities.honoursDeadline", honoursDeadline, supports.honoursDeadline);
      same("capabilities.canVoid", canVoid, supports.canVoid);
      same("voidChild is a function", typeof venue.voidChild === "function", supports.canVoid);
      const isRate = ratePerSecond === undefined || (Number.isFinite(ratePerSecond) && ratePerSecond > 0);
      holds("capabilities.ratePerSecond", isRate, "a number above 0, or nothing", ratePerSecond);
    },
  },
};
