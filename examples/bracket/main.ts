/**
 * A bracket (OTOCO) in memory. The entry fills in two parts; the process dies before it receives the second fill;
 * another engine opens the same disk; then the stop wins. Time stands still unless the program moves it.
 */
import {
  bracket,
  type Cause,
  type ChildRequest,
  type Fact,
  listStatusOf,
  type OrderList,
  type ParentOrder,
  Price,
  Quantity,
  statusOf,
} from "managed-orders";
import { type Engine, openEngine } from "managed-orders/engine";
import { createMemoryHost, createMemoryStore } from "managed-orders/memory";
import type { ChildReport, ExecutionVenue } from "managed-orders/ports";

const SYMBOL = "BTC/USD";
const ACCOUNT = 1;

const host = createMemoryHost({ symbols: [SYMBOL] });
const { clock } = host;

/** The venue's state. It survives when the process of the engine dies. */
const market = { bid: Price.parse("60000"), ask: Price.parse("60001"), size: Quantity.parse("1") };
const executed = new Map<string, ChildReport>();
let submissions = 0;
let answersArrive = true;

/** Takes the size at the best price and closes the child. */
function execute({ childId, side, quantity: wanted }: ChildRequest): ChildReport {
  const taken = Quantity.min(wanted, market.size);
  const at = side === "BUY" ? market.ask : market.bid;
  const fill = { executionId: `exec-${childId}`, quantity: taken, price: at, timeMs: clock.nowMs() };
  return { childId, state: "closed", fills: [fill] };
}

const venue: ExecutionVenue = {
  capabilities: { honoursDeadline: true, canVoid: false },
  submit: (child) => {
    submissions++;
    const report = execute(child);
    executed.set(child.childId, report);
    return answersArrive ? Promise.resolve(report) : new Promise(() => undefined);
  },
  lookup: async ({ childId }) => executed.get(childId) ?? "not-found",
  // The venue reports everything in its answers and sends no events.
  subscribe: () => () => undefined,
};

/** Starts a process with its engine. The next process knows only the data on the disk. */
function startEngine(): Promise<Engine> {
  const store = createMemoryStore({ disk: host.disk });
  return openEngine({ ...host, store, venue, settings: { advancedOrders: true } });
}

async function quote(engine: Engine, bid: string, size = "1"): Promise<void> {
  await clock.advanceBy(1_000, () => engine.idle());
  market.bid = Price.parse(bid);
  market.ask = Price.add(market.bid, Price.parse("1"));
  market.size = Quantity.parse(size);
  const ask = Price.format(market.ask);
  engine.market.quote({ symbol: SYMBOL, bid, ask, bidQuantity: size, askQuantity: size });
  await engine.idle();
  console.log(`quote ${bid} / ${ask}, ${size} at each`);
}

const roleOf = (leg: ParentOrder): string => leg.list?.role ?? "";

async function show(engine: Engine): Promise<void> {
  const list = await engine.account(ACCOUNT).findList({ listClientOrderId: "bracket-1" });
  if (list === undefined) throw new Error("the list is not there");
  console.log(`  list ${list.listId} ${listStatusOf(list).listOrderStatus}`);
  for (const leg of list.legs) {
    const { status, apiState } = statusOf(leg);
    console.log(
      `    ${leg.orderId} ${roleOf(leg)}: ${status} ${apiState} ${Quantity.format(leg.executedQuantity)}`,
    );
  }
}

/** Returns why a record was written. */
function because(cause: Cause): string {
  switch (cause.kind) {
    case "QUOTE":
      return `quote ${Price.format(cause.quote.bid)} / ${Price.format(cause.quote.ask)}`;
    case "VENUE":
      return cause.source === "LOOKUP" ? "a look-up at the venue" : "the venue's answer";
    default:
      return cause.kind.toLowerCase();
  }
}

/** Describes one fact in words. */
function tell(fact: Fact): string {
  switch (fact.kind) {
    case "ACCEPTED":
      return `${fact.held ? "accepted, held" : "accepted"}: ${fact.intent.type} ${fact.intent.side}`;
    case "TRIGGERED":
      return `triggered: ${Price.format(fact.trigger.observed)} met ${Price.format(fact.trigger.level)}`;
    case "CHILD_INTENDED":
      return `child for ${Quantity.format(fact.child.quantity)}`;
    case "FILLED":
      return `filled: ${Quantity.format(fact.fill.quantity)} at ${Price.format(fact.fill.price)}`;
    case "ENDED":
      return fact.reason === fact.status ? `ended: ${fact.status}` : `ended: ${fact.status}, ${fact.reason}`;
    default:
      return fact.kind.toLowerCase().replaceAll("_", " ");
  }
}

/** Prints every record of the list: its cause, then its facts by leg. */
async function story(engine: Engine, { listId, legs }: OrderList): Promise<void> {
  const roles = new Map(legs.map((leg) => [leg.orderId, roleOf(leg)]));
  for (const { cause, changes } of (await engine.listStory(listId)) ?? []) {
    console.log(`  because of ${because(cause)}`);
    for (const { orderId, facts } of changes) {
      console.log(`    ${roles.get(orderId)}: ${facts.map(tell).join("; ")}`);
    }
  }
}

const first = await startEngine();
await quote(first, "60200");
const { list } = await first.account(ACCOUNT).placeList(
  bracket({
    symbol: SYMBOL,
    listClientOrderId: "bracket-1",
    quantity: "0.5",
    entry: { side: "BUY", type: "LIMIT", price: "60000" },
    takeProfit: { type: "LIMIT", price: "63000" },
    stopLoss: { type: "STOP_LOSS", stopPrice: "58500" },
  }),
);
await show(first);

await quote(first, "59990", "0.2");
await show(first);

console.log("the process dies: the venue executes the next child, and its answer is lost");
answersArrive = false;
await quote(first, "59980");
answersArrive = true;

const second = await startEngine();
await second.idle();
console.log("another engine on the same disk");
await show(second);

await quote(second, "60500");
await quote(second, "58490");
await show(second);

console.log("story");
await story(second, list);

const { records, equal } = await second.verify();
console.log(`${records} records; the journal alone makes the same state: ${equal}`);
const position = host.exposure.position(ACCOUNT, SYMBOL);
console.log(`position ${Quantity.format(position)}; ${executed.size} children in ${submissions} submissions`);
await second.close();
