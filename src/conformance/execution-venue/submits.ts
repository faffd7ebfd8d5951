import { readChildId } from "../../lifecycle/index.ts";
import type { ChildReport, ChildRequest } from "../../model/index.ts";
import { holds, type Outcome, same } from "../checks.ts";
import {
  executedOf,
  executesNothing,
  expectClosed,
  expectReport,
  lineOf,
  OTHER_SYMBOL,
  type RefusalReason,
  SYMBOL,
  type VenueRules,
  type VenueWorld,
} from "./world.ts";

const NONE = { state: "open", fills: [] } as const;

/** Returns the id of a late attempt of the same parent: as long as an id can be. */
function longest(childId: string, end: string): string {
  const id = childId.replace(/-[^-]*$/, `-zzzzzzz${end}`);
  if (readChildId(id) === undefined) throw new Error(`${id} is not a child id`);
  return id;
}

const isReport = (answer: unknown): boolean =>
  typeof answer === "object" && answer !== null && "childId" in answer;

/** Submits a child that the exchange refuses. */
async function refusal(world: VenueWorld, reason: RefusalReason): Promise<[ChildRequest, string, Refusal]> {
  await world.offer(["9 at 100"]);
  const child = world.child((await world.place.refuse(reason)) as object | undefined);
  const call = `submit of a child that the exchange refuses (${reason})`;
  const report = await world.submit(child);
  expectReport(call, report, "rejected");
  return [child, call, report];
}

type Refusal = Readonly<{ final?: boolean; mark?: string }>;

async function hasNoMark(world: VenueWorld): Promise<void> {
  const [, call, { mark }] = await refusal(world, "now");
  same(`mark of the ${call}`, mark, undefined);
}

/** Checks that a call has no answer: it rejects, or nothing comes. */
function isNoReport(call: string, outcome: Outcome): void {
  const answered = outcome.kind === "answer" ? outcome.answer : outcome.kind;
  holds(call, outcome.kind !== "answer", "a rejection, or no answer", answered);
}

function isNoRefusal(call: string, outcome: Outcome): void {
  const answer = outcome.kind === "answer" ? (outcome.answer as Partial<ChildReport>) : undefined;
  holds(call, answer?.state !== "rejected", "no report of a refusal", answer);
}

/** Rules of handing a child over. */
export const submits: VenueRules = {
  "I06: a child that arrives twice executes once": {
    remedy:
      "Give the child id to the exchange as the client id of the order, and let the exchange refuse the second. Answer the second submit with the report on the first, or reject it. A proxy or an HTTP client may send a request again.",
    async check(world) {
      await world.offer(["9 at 100"]);
      const child = world.child();
      const sent = [world.send(child), world.send(child)];
      for (const call of sent) await world.outcome(call);
      await world.place.idle();
      expectClosed("lookup after two submits of 1 at once", await world.found(child), ["1 at 100"]);
      await world.outcome(world.send(child));
      expectClosed("lookup after a later third submit", await world.found(child), ["1 at 100"]);
      await world.bought("three submits of a child of 1", "1");
    },
  },
  "children that are submitted at once are answered each with its own executions": {
    remedy:
      "Keep what belongs to one submit in the call, not in the adapter. Match answers to requests by the child id, not by their order.",
    async check(world) {
      await world.offer(["9 at 100"]);
      await world.offer(["9 at 7"], { symbol: OTHER_SYMBOL });
      const markets = [SYMBOL, OTHER_SYMBOL, SYMBOL, OTHER_SYMBOL];
      const children = markets.map((symbol, n) => world.child({ symbol, quantity: `0.${n + 1}` }));
      const answers = await Promise.all(children.map((child) => world.submit(child)));
      for (const [n, child] of children.entries()) {
        const due = [`0.${n + 1} at ${child.symbol === SYMBOL ? "100" : "7"}`] as const;
        expectClosed(`the answer to ${lineOf(child)} among others`, answers[n] ?? NONE, due);
        expectClosed(`lookup of ${lineOf(child)} after it`, await world.found(child), due);
      }
      await world.bought("children of 0.1 and 0.3", "0.4");
      await world.bought("children of 0.2 and 0.4", "0.6", OTHER_SYMBOL);
    },
  },
  "child ids are used whole: two that differ in one character are two children": {
    remedy: "Child ids have up to 36 characters. Do not shorten, pad or change the case of an id.",
    async check(world) {
      await world.offer(["9 at 100"]);
      const made = world.child();
      const first = { ...made, childId: longest(made.childId, "y") };
      const second = { ...made, childId: longest(made.childId, "z") };
      await world.submit(first);
      same("lookup of an id that differs in its last character", isReport(await world.lookup(second)), false);
      await world.submit(second);
      for (const child of [first, second])
        expectClosed(`lookup of ${child.childId}`, await world.found(child), ["1 at 100"]);
      await world.bought("two children of 1", "2");
    },
  },
  "a child whose deadline has passed executes nothing": {
    remedy:
      "`deadlineMs` is a time in milliseconds since the epoch, not a duration and not in seconds. Let the exchange compare it with its own clock, or declare `honoursDeadline: false`.",
    where: { honoursDeadline: true },
    async check(world) {
      await world.offer(["9 at 100"]);
      for (const lateMs of [1, 1_000, 60_000]) {
        const child = world.child();
        await world.outcome(world.send(child, { deadlineMs: world.place.nowMs() - lateMs }));
        await world.place.idle();
        const answer = await world.lookup(child);
        const call = `lookup of a child that was submitted ${lateMs} ms after its deadline`;
        if (isReport(answer)) executesNothing(call, answer as never);
      }
      await world.bought("children whose deadline had passed", "0");
    },
  },
  "a child whose deadline is some seconds ahead executes": {
    remedy: "Compare `deadlineMs` with the exchange's clock in milliseconds since the epoch.",
    async check(world) {
      await world.offer(["9 at 100"]);
      for (const aheadMs of [2_000, 60_000]) {
        const child = world.child();
        const report = await world.submit(child, {
          deadlineMs: world.place.nowMs() + aheadMs,
        });
        expectClosed(`submit ${aheadMs} ms before the deadline`, report, ["1 at 100"]);
      }
    },
  },
  "an adapter that declares no open children answers with the end of each child": {
    remedy: "Declare `openChildren: true`, or answer when the exchange has closed or refused the child.",
    where: { openChildren: false },
    async check(world) {
      for (const parts of [["0.4 at 100"], []] as const) {
        await world.offer(parts);
        const child = world.child();
        const { state } = await world.submit(child);
        holds(`state of the submit of ${lineOf(child)}`, state !== "open", "closed or rejected", state);
      }
    },
  },
  "a submit ends when its signal aborts, and what became of the child stays unknown": {
    remedy:
      "Pass `signal` to the call that waits for the exchange, and let the promise reject. Do not turn the abort into a report.",
    where: { abortable: true },
    async check(world) {
      await world.offer(["1 at 100"]);
      await world.place.lose("answer");
      const abort = new AbortController();
      const call = world.send(world.child(), { signal: abort.signal });
      await world.place.idle();
      abort.abort();
      const { kind } = await world.outcome(call);
      same("the submit after its signal has aborted", kind, "rejects");
    },
  },
  "an abort does not cancel the child": {
    remedy: "End only the request. A child that has arrived stays as it is, and `lookup` reports it.",
    async check(world) {
      await world.offer(["1 at 100"]);
      await world.place.lose("answer");
      const abort = new AbortController();
      const child = world.child();
      const call = world.send(child, { signal: abort.signal });
      await world.place.idle();
      abort.abort();
      isNoRefusal("the submit after its signal has aborted", await world.outcome(call));
      expectClosed("lookup after the abort", await world.found(child), ["1 at 100"]);
    },
  },
  "complaint 17: a child whose answer is lost is not reported by the submit, and found by the look-up": {
    remedy:
      "Let the submit reject, or wait, when no answer comes. Find the order by the child id, not by an id that only the lost answer had.",
    async check(world) {
      await world.offer(["0.4 at 100"]);
      await world.place.lose("answer");
      const child = world.child();
      isNoReport("a submit whose answer is lost", await world.outcome(world.send(child)));
      expectClosed("lookup after the answer was lost", await world.found(child), ["0.4 at 100"]);
      await world.bought("a child whose answer was lost", "0.4");
    },
  },
  "complaint 18: a child that is lost on its way is not reported as refused": {
    remedy: "Turn neither a timeout nor a broken connection into `rejected`. Let the submit reject.",
    async check(world) {
      await world.offer(["1 at 100"]);
      await world.place.lose("child");
      const child = world.child();
      isNoReport("a submit that is lost on its way", await world.outcome(world.send(child)));
      same("lookup of the lost child has a report", isReport(await world.lookup(child)), false);
      await world.bought("a child that was lost on its way", "0");
      expectClosed("submit of the next child", await world.submit(world.child()), ["1 at 100"]);
    },
  },
  "while the exchange cannot be reached, no submit is answered with a report": {
    remedy: "Let the submit reject with the error of the connection. The engine looks the child up later.",
    async check(world) {
      await world.offer(["1 at 100"]);
      await world.place.setOutage(true);
      isNoReport("a submit during an outage", await world.outcome(world.send(world.child())));
      await world.place.setOutage(false);
      const after = await world.submit(world.child());
      same("executed quantity of a child after the outage", executedOf(after) > 0, true);
    },
  },
};

/** Rules of refusals. */
export const refusals: VenueRules = {
  "a child that the exchange refuses is rejected, and the next child is not affected": {
    remedy:
      "Answer a definite refusal with `rejected`: the quantity goes back to the parent. Do not let the submit reject, which means that the outcome is unknown.",
    async check(world) {
      const [child] = await refusal(world, "now");
      const answer = await world.lookup(child);
      if (isReport(answer)) executesNothing("lookup of the refused child", answer as never);
      await world.bought("a refused child", "0");
      expectClosed("submit of the next child", await world.submit(world.child()), ["1 at 100"]);
    },
  },
  "a refusal after which a later child may succeed is not final": {
    remedy: "Set `final` only for refusals that no later attempt can avoid. It ends the parent as REJECTED.",
    async check(world) {
      const [, call, { final }] = await refusal(world, "now");
      holds(call, final !== true, "a report without final", final);
    },
  },
  "a refusal that no later attempt can avoid is final": {
    remedy:
      "Set `final: true` for the exchange's words for an unknown market, a closed account and the like.",
    where: { finalRefusals: true },
    async check(world) {
      const [, call, { final }] = await refusal(world, "never");
      same(`final of the ${call}`, final, true);
    },
  },
  "a refusal for insufficient funds has its mark, and is not final": {
    remedy: 'Set `mark: "INSUFFICIENT_FUNDS"`. The engine then tries the parents of the account in turns.',
    where: { fundsMark: true },
    async check(world) {
      const [, call, { mark, final }] = await refusal(world, "funds");
      same(`mark of the ${call}`, mark, "INSUFFICIENT_FUNDS");
      holds(call, final !== true, "a report without final", final);
    },
  },
  "an adapter that declares no mark for insufficient funds sets none": {
    remedy:
      "Declare `fundsMark: true`, or set no `mark`. A mark on other refusals makes the engine wait for funds.",
    where: { fundsMark: false },
    check: hasNoMark,
  },
  "a refusal for another reason than funds has no mark": {
    remedy: "Set `mark` only for the exchange's word for insufficient funds.",
    where: { fundsMark: true },
    check: hasNoMark,
  },
};
