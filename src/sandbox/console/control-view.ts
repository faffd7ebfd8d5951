import { type Control, CRASHES, FAULTS, faultOf } from "./control.ts";
import { button, element, markRight, markWrong, options, run } from "./elements.ts";
import { errorWords } from "./error-words.ts";
import { timeText } from "./numbers.ts";
import type { Outcome } from "./orders.ts";

/** How the sandbox was started, as far as the page shows it. */
type SandboxKind = Readonly<{ market: string; clock: string }>;

/** Steps of a clock that is moved by hand. */
const ADVANCES: readonly (readonly [label: string, advanceMs: number])[] = [
  ["+1 s", 1_000],
  ["+5 s", 5_000],
  ["+1 min", 60_000],
];

/** Shows what can be done over the control interface. `symbol` is the chosen market. */
export function showControl(control: Control, { market, clock }: SandboxKind, symbol: () => string): void {
  element("faults", HTMLElement).hidden = false;
  showFaults(control);
  showCrashes(control);
  on("verify", async () => {
    const { equal, records } = await control.verify();
    if (!equal)
      throw new Error(
        `Live state and journal differ after ${records} records. This is a bug: please report it.`,
      );
    return `Live state and journal agree: ${records} records.`;
  });
  if (market === "manual") showManualMarket(control, symbol);
  if (market === "replay") showReplay(control);
  if (clock === "manual") showClock(control);
}

function on(id: string, act: () => Promise<Outcome>): void {
  const by = element(id, HTMLButtonElement);
  by.addEventListener("click", () => void run(by, act));
}

function showFaults(control: Control): void {
  const select = element("fault", HTMLSelectElement);
  options(
    select,
    Object.entries(FAULTS).map(([value, { label: text }]) => ({ value, text })),
  );
  const explain = (): void => {
    element("fault-says", HTMLParagraphElement).textContent = FAULTS[faultOf(select.value)].description;
  };
  select.addEventListener("change", explain);
  select.value = "timeout-after";
  explain();
  on("fault-set", async () => {
    const { label, body } = FAULTS[faultOf(select.value)];
    await control.post("faults", body);
    return select.value === "none"
      ? "No fault is set."
      : `Set: ${label.toLowerCase()}. Place an order that trades.`;
  });
  on("release", async () => {
    const { released } = await control.post<Readonly<{ released: number }>>("venue/release", {});
    return `Released: ${released}.`;
  });
}

function showCrashes(control: Control): void {
  const select = element("crash", HTMLSelectElement);
  options(
    select,
    CRASHES.map(([value, text]) => ({ value, text })),
  );
  on("crash-set", async () => {
    await control.post("crash", { at: select.value });
    return "Armed. The process kills itself at that point of the next order that trades.";
  });
}

function showManualMarket(control: Control, symbol: () => string): void {
  element("manual-market", HTMLDivElement).hidden = false;
  on("quote", async () => {
    const fields = ["bid", "ask"].map((id) => element(id, HTMLInputElement));
    for (const field of fields) markRight(field);
    const [bid, ask] = fields.map(quoted);
    const sending = control.post<Readonly<{ accepted: number }>>("quotes", { symbol: symbol(), bid, ask });
    const { accepted } = await sending.catch((error: unknown) => {
      const { text } = errorWords(error);
      const wrong = fields.find(({ id }) => text.startsWith(`${id}:`));
      if (wrong !== undefined) markWrong(wrong, text);
      throw error;
    });
    return accepted === 1
      ? `Quote of ${symbol()} sent.`
      : { text: "Not sent: this quote does not count. Is its bid below its ask?", tone: "bad" };
  });
  on("heartbeat", async () => {
    await control.post("heartbeat", { symbol: symbol() });
    return `The last quote of ${symbol()} counts as new.`;
  });
}

/** A field that is left empty stands for the present price, which it shows. */
const quoted = ({ value, placeholder }: HTMLInputElement): string => value.trim() || placeholder;

function showReplay(control: Control): void {
  element("replay-market", HTMLDivElement).hidden = false;
  on("market-run", async () => {
    await control.post("market", { run: true });
    return "The replay runs.";
  });
  on("market-stop", async () => {
    await control.post("market", { run: false });
    return "The replay is paused.";
  });
}

function showClock(control: Control): void {
  element("manual-clock", HTMLDivElement).hidden = false;
  const show = async (): Promise<void> => {
    const { now = 0 } = await control.health();
    element("clock-now", HTMLParagraphElement).textContent =
      `It is ${timeText(now, true)}. Time moves only here.`;
  };
  element("advances", HTMLDivElement).replaceChildren(
    ...ADVANCES.map(([label, advanceMs]) => {
      const by: HTMLButtonElement = button(label, () => {
        void run(by, async () => {
          await control.post("clock", { advanceMs });
          await show();
          return `The clock moved by ${label.slice(1)}.`;
        });
      });
      return by;
    }),
  );
  void show().catch(() => undefined);
}
