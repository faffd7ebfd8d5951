import { quantity } from "../../src/decimal/index.ts";
import type { VolumeBar } from "../../src/model/index.ts";
import type { VolumeHistory } from "../../src/ports/index.ts";
import type { Instance } from "./instance.ts";
import type { RequireThat } from "./invariant-broken.ts";
import { type AnswerParts, PortAnswers, type PortFaults } from "./port-answers.ts";

const MINUTE_MS = 60_000;
const WINDOW_MS = 512 * MINUTE_MS;

/** Maximum time from the request to the record: the time limit of an engine, and an append that is under way for long. */
const LONGEST_MS = 120_000;

const FAULTS: PortFaults = {
  slow: "volumes are slow",
  silent: "volumes are silent",
  throws: "volumes throw",
  nonsense: "volumes are nonsense",
  oftener: 10,
};

type Range = Parameters<VolumeHistory["minutes"]>[0];
type VolumeRequest = Readonly<{ range: Range; atMs: number }>;

/** The executed volume of the service by minute, as a host keeps it. The same minutes always have the same volume. */
export class WorldVolumes {
  readonly #parts: AnswerParts & Readonly<{ requireThat: RequireThat }>;
  readonly #answers: PortAnswers;
  readonly #bars: Map<string, VolumeBar | undefined> = new Map();
  #requests: VolumeRequest[] = [];

  constructor(parts: AnswerParts & Readonly<{ requireThat: RequireThat }>) {
    this.#parts = parts;
    this.#answers = new PortAnswers(parts);
  }

  /** Returns the history for a process. */
  open(instance: Instance): VolumeHistory {
    return {
      minutes: (range) => {
        this.#note(range, instance.now(this.#parts.time).wallMs);
        return this.#answers.answer(instance, FAULTS, {
          right: () => this.minutes(range),
          wrong: () => this.#wrong(range),
        });
      },
    };
  }

  /** Returns the bars of a range, without faults. */
  minutes({ symbol, fromMs, toMs }: Range): readonly VolumeBar[] {
    const bars: VolumeBar[] = [];
    for (let minuteMs = fromMs; minuteMs < toMs; minuteMs += MINUTE_MS) {
      const bar = this.#bar(symbol, minuteMs);
      if (bar !== undefined) bars.push(bar);
    }
    return bars;
  }

  /** Returns the ranges of a market that were requested recently. */
  requested(symbol: string): readonly Range[] {
    const fromMs = this.#parts.time.trueMs - LONGEST_MS;
    return this.#requests
      .filter(({ range, atMs }) => range.symbol === symbol && atMs >= fromMs)
      .map(({ range }) => range);
  }

  /** Checks the rule "VWAP": the range is 512 whole minutes that are over. */
  #note(range: Range, wallMs: number): void {
    const { time, requireThat } = this.#parts;
    const { fromMs, toMs } = range;
    const isWindow = toMs === wallMs - (wallMs % MINUTE_MS) && toMs - fromMs === WINDOW_MS;
    requireThat(isWindow, "VWAP", () => `minutes from ${fromMs} to ${toMs} are asked for at ${wallMs}`);
    this.#requests.push({ range, atMs: time.trueMs });
    if (this.#requests.length > 200) this.#requests = this.#requests.slice(-100);
  }

  #bar(symbol: string, minuteMs: number): VolumeBar | undefined {
    const name = `${symbol} ${minuteMs}`;
    if (this.#bars.has(name)) return this.#bars.get(name);
    const random = this.#parts.random.of(name);
    const bar = random.chance(0.7)
      ? { symbol, minuteMs, quantity: quantity(`${random.below(9)}.${1 + random.below(9)}`) }
      : undefined;
    this.#bars.set(name, bar);
    return bar;
  }

  /** Returns values that cannot be read as bars. */
  #wrong(range: Range): unknown {
    const [first, ...rest] = this.minutes(range);
    return this.#parts.random.pick<unknown>([
      undefined,
      "none",
      [...rest, first],
      [{ ...first, symbol: "XRP/USD" }, ...rest],
      [{ ...first, minuteMs: range.toMs }],
      [{ ...first, quantity: Number.NaN }, ...rest],
      [{ ...first, quantity: -1 }, ...rest],
    ]);
  }
}
