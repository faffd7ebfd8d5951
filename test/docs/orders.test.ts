import { it } from "vitest";
import { formatPrice, Quantity } from "../../src/decimal/index.ts";
import type { Fill } from "../../src/model/index.ts";
import type { OrderFields } from "../../src/requests/index.ts";
import { ACCOUNT, createWorld, START_MS, SYMBOL } from "../support/world.ts";
import { executedAt, expectStories, type Shown, sentenceOf } from "./stories.ts";

type Step = Readonly<{
  /** Bid and ask, and the size that each side offers. */
  quote?: readonly [bid: string, ask: string, size?: string];
  /** The quantity of a trade of others. */
  trade?: string;
  /** Milliseconds that pass before it. */
  after?: number;
}>;

type Story = Readonly<{ order: Partial<OrderFields>; position?: string; steps: readonly Step[] }>;

/** Places the order on the first quote, and returns a row for each step: time, market, what the order does. */
async function rowsOf({ order: fields, position, steps }: Story): Promise<readonly string[]> {
  const world = await createWorld();
  const { engine, venue, exposure } = world;
  const hold = (size: string): void =>
    exposure.set({ accountId: ACCOUNT, symbol: SYMBOL, quantity: Quantity.parseSigned(size) });
  let shown: Shown = { bid: "", ask: "", size: "" };
  let own: Fill[] = [];
  venue.onSubmit = (child) => {
    const report = executedAt(shown, child);
    own.push(...report.fills);
    // The position of these stories is one that a single child closes.
    if (position !== undefined) hold("0");
    return report;
  };
  if (position !== undefined) hold(position);
  const rows = ["   time    bid    ask   size  the order"];
  let placed: number | undefined;
  let told = 0;
  for (const { after, quote, trade } of steps) {
    if (after !== undefined) await world.pass(after, { heartbeat: false });
    if (quote !== undefined) {
      const [bid, ask, size = "1000"] = quote;
      shown = { bid, ask, size };
      await world.quote(bid, ask, { bid: size, ask: size });
    }
    if (trade !== undefined) await world.print(trade, { price: shown.ask });
    placed ??= (await world.place(fields)).orderId;
    await engine.idle();
    for (const { executionId, quantity } of own)
      await world.print(Quantity.format(quantity), { id: executionId });
    own = [];
    const records = (await engine.story(placed))?.records ?? [];
    const facts = records.flatMap(({ changes }) => changes.flatMap((change) => change.facts));
    const order = await world.order(placed);
    const level = order.trigger === undefined ? engine.runningLevel(order) : undefined;
    const does = [
      trade === undefined ? "" : `trade of ${trade}`,
      sentenceOf(facts.slice(told)),
      level === undefined ? "" : `(level ${formatPrice(level)})`,
    ].filter((words) => words !== "");
    told = facts.length;
    rows.push(rowOf(world.clock.nowMs(), shown, does.join("; ")));
  }
  return rows;
}

function rowOf(nowMs: number, { bid, ask, size }: Shown, does: string): string {
  const time = `${((nowMs - START_MS) / 1000).toFixed(1)} s`.padStart(7);
  const cells = [bid, ask, size === "1000" ? "" : size].map((cell) => cell.padStart(6));
  const before = [time, ...cells, ""].join(" ");
  return `${before} ${does.replaceAll("\n", `\n${" ".repeat(before.length + 1)}`)}`.trimEnd();
}

const STORIES: Readonly<Record<string, Story>> = {
  limit: {
    order: { type: "SYNTHETIC_LIMIT", side: "BUY", quantity: "1", price: "100" },
    steps: [
      { quote: ["101", "102"] },
      { after: 1_000, quote: ["99", "100", "0.4"] },
      { after: 1_000, quote: ["101", "102"] },
      { after: 1_000, quote: ["98", "99"] },
    ],
  },
  stop: {
    order: { type: "STOP_MARKET", side: "SELL", quantity: "1", stopPrice: "95" },
    steps: [
      { quote: ["100", "101"] },
      { after: 1_000, quote: ["96", "97"] },
      { after: 1_000, quote: ["95", "96", "0.6"] },
      { after: 1_000, quote: ["97", "98"] },
    ],
  },
  "stop-limit": {
    order: { type: "STOP_LOSS_LIMIT", side: "SELL", quantity: "1", stopPrice: "95", price: "94" },
    steps: [
      { quote: ["100", "101"] },
      { after: 1_000, quote: ["92", "93"] },
      { after: 1_000, quote: ["93", "94"] },
      { after: 1_000, quote: ["96", "97"] },
    ],
  },
  "take-profit": {
    order: { type: "TAKE_PROFIT_MARKET", side: "SELL", quantity: "1", stopPrice: "110" },
    steps: [
      { quote: ["100", "101"] },
      { after: 1_000, quote: ["109", "110"] },
      { after: 1_000, quote: ["111", "112"] },
    ],
  },
  trailing: {
    order: { type: "TRAILING_STOP_MARKET", side: "SELL", quantity: "1", trailingDelta: 500 },
    steps: [
      { quote: ["100", "101"] },
      { after: 1_000, quote: ["110", "111"] },
      { after: 1_000, quote: ["106", "107"] },
      { after: 1_000, quote: ["120", "121"] },
      { after: 1_000, quote: ["114", "115"] },
    ],
  },
  "trailing with a gate": {
    order: {
      type: "TRAILING_STOP_LIMIT",
      side: "SELL",
      quantity: "1",
      trailingAmount: "5",
      stopPrice: "105",
      limitOffset: "1",
    },
    steps: [
      { quote: ["100", "101"] },
      { after: 1_000, quote: ["106", "107"] },
      { after: 1_000, quote: ["110", "111"] },
      { after: 1_000, quote: ["103", "104"] },
      { after: 1_000, quote: ["104.5", "105.5"] },
    ],
  },
  "post-only": {
    order: { type: "LIMIT_MAKER", side: "BUY", quantity: "1", price: "100" },
    steps: [{ quote: ["100", "101"] }, { after: 1_000, quote: ["99", "100"] }],
  },
  iceberg: {
    order: { type: "ICEBERG", side: "BUY", quantity: "1", price: "100", icebergQty: "0.4" },
    steps: [{ quote: ["99", "100", "0.5"] }, { after: 1_000, quote: ["98", "99"] }],
  },
  twap: {
    order: {
      type: "LIMIT",
      targetStrategy: 180,
      side: "BUY",
      quantity: "1",
      price: "101",
      interval: 60_000,
      intervalCount: 4,
    },
    steps: [
      { quote: ["99", "100"] },
      { after: 60_000, quote: ["99", "100", "0.2"] },
      { after: 60_000, quote: ["101", "102"] },
      { after: 60_000, quote: ["100", "101"] },
      { after: 60_000, quote: ["100", "101"] },
    ],
  },
  vwap: {
    order: { type: "VWAP", side: "BUY", quantity: "1", interval: 60_000, volumeProfile: "3,0,2" },
    steps: [
      { quote: ["99", "100", "0.4"] },
      { after: 60_000, quote: ["99", "100"] },
      { after: 60_000, quote: ["100", "101"] },
      { after: 60_000, quote: ["100", "101"] },
    ],
  },
  pov: {
    order: { type: "POV", side: "BUY", quantity: "5", participationBips: 1_000 },
    steps: [
      { quote: ["99", "100"] },
      { after: 1_000, trade: "9", quote: ["99", "100"] },
      { after: 1_000, trade: "0.5", quote: ["99", "100"] },
      { after: 1_000, trade: "9", quote: ["99", "100"] },
    ],
  },
  "reduce-only": {
    order: { type: "STOP_MARKET", side: "SELL", quantity: "2", stopPrice: "95", reduceOnly: true },
    position: "1.5",
    steps: [
      { quote: ["100", "101"] },
      { after: 1_000, quote: ["95", "96"] },
      { after: 1_000, quote: ["94", "95"] },
      { after: 10_000, quote: ["94", "95"] },
    ],
  },
  "good till": {
    order: {
      type: "SYNTHETIC_LIMIT",
      side: "BUY",
      quantity: "1",
      price: "100",
      expireTime: START_MS + 60_000,
    },
    steps: [{ quote: ["101", "102"] }, { after: 60_000, quote: ["99", "100"] }],
  },
};

it("docs/orders.md shows what really happens; `npm run docs:update test/docs/orders` rewrites it", async () => {
  const stories = Object.entries(STORIES).map(([name, story]) => [name, () => rowsOf(story)] as const);
  await expectStories("../../docs/orders.md", Object.fromEntries(stories));
});
