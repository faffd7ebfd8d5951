/**
 * The engine in memory with its own venue: a stop triggers and fills, and its story is printed.
 * Time stands still unless the program moves it, so that every run prints the same.
 */
import { type ChildRequest, type Fact, Price, Quantity, statusOf } from "managed-orders";
import { openEngine } from "managed-orders/engine";
import { createMemoryHost } from "managed-orders/memory";
import type { ChildReport, ExecutionVenue } from "managed-orders/ports";
import type { QuoteStamp } from "managed-orders/rules";

const SYMBOL = "BTC/USD";

/** A venue that fills every child completely, at the last best price it was given. */
type TouchVenue = ExecutionVenue & { bid: Price; ask: Price };

function createTouchVenue(): TouchVenue {
  const known = new Map<string, ChildReport>();
  const execute = async (child: ChildRequest): Promise<ChildReport> => {
    const report = fillWhole(child, child.side === "BUY" ? venue.ask : venue.bid);
    known.set(child.childId, report);
    return report;
  };
  const venue: TouchVenue = {
    bid: Price.parse("60000"),
    ask: Price.parse("60001"),
    capabilities: { honoursDeadline: true, canVoid: false },
    submit: async (child) => await execute(child),
    lookup: async (child) => known.get(child.childId) ?? "not-found",
    // The venue reports everything in its answers and sends no events.
    subscribe: () => () => undefined,
  };
  return venue;
}

function fillWhole({ childId, quantity }: ChildRequest, at: Price): ChildReport {
  const fill = { executionId: `exec-${childId}`, quantity, price: at, timeMs: clock.nowMs() };
  return { childId, state: "closed", fills: [fill] };
}

/** Describes one fact in words. */
function tell(fact: Fact): string {
  switch (fact.kind) {
    case "ACCEPTED":
      return `accepted: ${fact.intent.type} ${fact.intent.side} ${Quantity.format(fact.intent.quantity)}`;
    case "TRIGGERED":
      return `triggered: ${Price.format(fact.trigger.observed)} met ${Price.format(fact.trigger.level)}`;
    case "CHILD_INTENDED":
      return `child ${fact.child.childId}: ${Quantity.format(fact.child.quantity)}`;
    case "FILLED":
      return `filled: ${Quantity.format(fact.fill.quantity)} at ${Price.format(fact.fill.price)}`;
    case "CHILD_CLOSED":
      return `child closed: ${fact.outcome}`;
    case "ENDED":
      return `ended: ${fact.status}`;
    default:
      return fact.kind;
  }
}

const host = createMemoryHost({ symbols: [SYMBOL] });
const { clock } = host;
const venue = createTouchVenue();
const engine = await openEngine({ ...host, venue, settings: { advancedOrders: true } });
const account = engine.account(1);

async function quote(bid: string, ask: string): Promise<void> {
  await clock.advanceBy(1_000, () => engine.idle());
  venue.bid = Price.parse(bid);
  venue.ask = Price.parse(ask);
  engine.market.quote({ symbol: SYMBOL, bid, ask });
  await engine.idle();
  console.log(`quote ${bid} / ${ask}`);
}

async function show(orderId: number): Promise<void> {
  const order = await account.find({ orderId });
  if (order === undefined) throw new Error("the order is not there");
  const { status, apiState } = statusOf(order);
  const waitingFor = (await engine.story(orderId))?.waitingFor;
  console.log(
    `  order ${orderId}: ${status} ${apiState}${waitingFor === undefined ? "" : `, waits for ${waitingFor}`}`,
  );
}

const text = (stamp: QuoteStamp): string => `quote ${Price.format(stamp.bid)} / ${Price.format(stamp.ask)}`;

await quote("60000", "60001");
const { order } = await account.place({
  symbol: SYMBOL,
  side: "SELL",
  type: "STOP_MARKET",
  quantity: "0.5",
  stopPrice: "59500",
});
await show(order.orderId);
await quote("59600", "59601");
await show(order.orderId);
await quote("59480", "59481");
await show(order.orderId);

console.log("story");
for (const record of (await engine.story(order.orderId))?.records ?? []) {
  const { cause, changes } = record;
  console.log(`  because of ${cause.kind === "QUOTE" ? text(cause.quote) : cause.kind.toLowerCase()}`);
  for (const fact of changes.flatMap(({ facts }) => facts)) console.log(`    ${tell(fact)}`);
}

const { records, equal } = await engine.verify();
console.log(`${records} records; the journal alone makes the same state: ${equal}`);
await engine.close();
