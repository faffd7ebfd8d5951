import { it } from "vitest";
import { formatPrice, Quantity } from "../../src/decimal/index.ts";
import type { Alert, EngineSettings } from "../../src/engine/index.ts";
import type { Cause, ChildReport, ChildRequest } from "../../src/model/index.ts";
import { bracket } from "../../src/requests/index.ts";
import { fillOf, reported } from "../support/scripted-venue.ts";
import { ACCOUNT, createWorld, START_MS, SYMBOL } from "../support/world.ts";
import { executedAt, expectStories, type Shown, sentenceOf } from "./stories.ts";

const BRACKET = bracket({
  symbol: SYMBOL,
  listClientOrderId: "trade",
  quantity: "1",
  entry: { side: "BUY", type: "LIMIT", price: "100" },
  takeProfit: { type: "LIMIT", price: "110" },
  stopLoss: { type: "STOP_MARKET", stopPrice: "90" },
});

type Line = Readonly<{ atMs: number; text: string }>;

/** The bracket in a small world: its venue executes what the newest quote shows, and the host reports the position. */
async function placed(settings: Partial<EngineSettings> = {}) {
  const world = await createWorld({ settings });
  const { list } = await world.engine.placeList({ accountId: ACCOUNT, list: BRACKET });
  const roles = new Map(list.legs.map(({ orderId }, index) => [orderId, ["entry", "stop", "profit"][index]]));
  const alerts: Alert[] = [];
  const notes: Line[] = [];
  world.engine.events.on("alert", (alert) => void alerts.push(alert));
  let shown: Shown = { bid: "100", ask: "100", size: "1000" };
  const executed = (child: ChildRequest): ChildReport => executedAt(shown, child);
  world.venue.onSubmit = executed;
  return {
    world,
    executed,
    async quote(bid: string, ask: string, size = "1000"): Promise<void> {
      shown = { bid, ask, size };
      await world.quote(bid, ask, { bid: size, ask: size });
    },
    hold(size: string): void {
      world.exposure.set({ accountId: ACCOUNT, symbol: SYMBOL, quantity: Quantity.parseSigned(size) });
    },
    async calm(seconds: number): Promise<void> {
      for (let n = 0; n < seconds; n++) await world.pass(1_000);
    },
    note(text: string): void {
      notes.push({ atMs: world.clock.nowMs(), text });
    },
    async story(): Promise<readonly string[]> {
      const records = (await world.engine.listStory(list.listId)) ?? [];
      const stored = records.flatMap(({ changes }) => changes.flatMap(({ facts }) => facts));
      const lines = records.map(({ timeMs, cause, changes }): Line => {
        const legs = changes.map(({ orderId, facts }) => `${roles.get(orderId)} ${sentenceOf(facts)}`);
        const text = `${causeOf(cause).padEnd(14)}  ${legs.join("\n")}`;
        return { atMs: timeMs, text: text.replaceAll("\n", `\n${" ".repeat(26)}`) };
      });
      const isRetained = ({ alert }: Alert): boolean =>
        stored.some((fact) => fact.kind === "ALERT" && fact.alert === alert);
      const received = alerts
        .filter((alert) => !isRetained(alert))
        .map(({ alert, timeMs, detail, orderId }) => ({
          atMs: timeMs,
          text: `alert ${alert}${orderId === undefined ? "" : ` of the ${roles.get(orderId)}`}: ${detail}`,
        }));
      const all = [...notes, ...lines, ...received].sort((a, b) => a.atMs - b.atMs);
      return withoutRepeats(
        all.map(({ atMs, text }) => ({ atMs, text: text.replaceAll(/aqc-\S+-(\d+)/g, "$1") })),
      );
    },
  };
}

function causeOf(cause: Cause): string {
  if (cause.kind === "QUOTE") return `QUOTE ${formatPrice(cause.quote.bid)}/${formatPrice(cause.quote.ask)}`;
  if (cause.kind === "VENUE") return `VENUE ${cause.source}`;
  return cause.kind === "TIMER" ? `TIMER ${cause.timer}` : cause.kind;
}

const secondsOf = ({ atMs }: Line): string => ((atMs - START_MS) / 1000).toFixed(1);

/** Shows an attempt and its refusal once, and then how often they were repeated. */
function withoutRepeats(lines: readonly Line[]): readonly string[] {
  const shown: string[] = [];
  const isSame = (a: number, b: number): boolean =>
    lines[a] !== undefined && lines[a]?.text === lines[b]?.text;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as Line;
    shown.push(`${secondsOf(line).padStart(6)} s  ${line.text}`);
    let next = at + 1;
    while (line.text.startsWith("VENUE") && isSame(next, at - 1) && isSame(next + 1, at)) next += 2;
    const times = (next - at - 1) / 2;
    if (times === 0) continue;
    shown.push(`          (the same ${times} times more, until ${secondsOf(lines[next - 1] as Line)} s)`);
    at = next - 1;
  }
  return shown;
}

/** A venue that takes its fee out of what it buys. */
const LESS_FEE = ({ childId }: ChildRequest): ChildReport =>
  reported(childId, "closed", [fillOf({ quantity: "0.9998" })]);

type Story = () => Promise<readonly string[]>;

const STORIES: Readonly<Record<string, Story>> = {
  async "closed by hand"() {
    const { calm, quote, hold, note, story } = await placed();
    await quote("99", "100");
    hold("1");
    await calm(60);
    hold("0");
    note("(the owner sells the position elsewhere)");
    await calm(60);
    await quote("89", "90");
    await calm(6);
    note("(the owner buys 1 again, and the price is still below the stop)");
    hold("1");
    await quote("85", "86");
    return story();
  },
  async "small sizes"() {
    const { world, quote, story } = await placed();
    for (const size of ["0.4", "0.5", "0.5"]) {
      await quote("99", "100", size);
      await world.pass(1_000, { heartbeat: false });
    }
    return story();
  },
  async "a fee"() {
    const { world, quote, story } = await placed();
    world.venue.onSubmit = LESS_FEE;
    await quote("99", "100");
    return story();
  },
  async "a fee that counts as filled"() {
    const { world, calm, quote, hold, executed, story } = await placed({ residualCountsAsFilled: true });
    world.venue.onSubmit = LESS_FEE;
    await quote("99", "100");
    world.venue.onSubmit = executed;
    hold("0.9998");
    await calm(60);
    await quote("89", "90");
    return story();
  },
  async refused() {
    const { world, calm, quote, hold, note, executed, story } = await placed();
    await quote("99", "100");
    hold("1");
    await calm(60);
    world.venue.onSubmit = ({ childId }) => ({
      ...reported(childId, "rejected"),
      detail: "insufficient balance: the fee was taken in BTC",
    });
    await quote("89", "90");
    for (let n = 0; n < 20; n++) {
      await world.pass(1_000);
      await quote("88", "89");
    }
    await world.pass(1_000);
    note("(the owner adds the fee)");
    world.venue.onSubmit = executed;
    for (let n = 0; n < 6; n++) {
      await world.pass(1_000);
      await quote("88", "89");
    }
    return story();
  },
  async quiet() {
    const { world, calm, quote, hold, note, story } = await placed();
    await quote("88", "89");
    hold("1");
    await world.pass(1_000);
    note("(the source has sent nothing but heartbeats since that quote)");
    await calm(10);
    return story();
  },
  async silent() {
    const { world, quote, hold, note, story } = await placed();
    await quote("99", "100");
    hold("1");
    await world.pass(1_000);
    note("(the source sends nothing for a minute, not even heartbeats)");
    for (let n = 0; n < 60; n++) await world.pass(1_000, { heartbeat: false });
    await quote("87", "88");
    return story();
  },
};

it("docs/brackets.md tells what really happens; `npm run docs:update test/docs/brackets` rewrites it", async () => {
  await expectStories("../../docs/brackets.md", STORIES);
});
