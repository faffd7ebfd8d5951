import { type KeptQuote, MARKET_SHARD } from "../../model/index.ts";
import type { AppendBatch, AppendOutcome, OrderStore } from "../../ports/index.ts";
import { appendColumns, isGapless, type MarketPart, takenName } from "./append-columns.ts";
import { APPEND } from "./append-statements.ts";
import type { Database } from "./database.ts";
import { afterMs, withDeadline } from "./deadline.ts";
import type { Row } from "./driver.ts";
import { laterOwner, type MarketRound, type Owner } from "./owner.ts";
import { brokenKey, UnknownOutcome } from "./postgres-error.ts";
import { textIn, wholeIn } from "./reading.ts";
import { JOURNAL } from "./statements.ts";

/** Part number of the market journal in the answer to an append. */
const MARKET_PART = -1;

/** How often the market data of an append is written when rounds of the same owner have overtaken it. */
const ATTEMPTS = 5;

/** The outcomes of the parts of an append, and whether its market data was kept. */
type Written = Readonly<{ outcomes: readonly AppendOutcome[]; isMarketKept: boolean }>;

/** A turn in which the market journal is written, and whether the next one goes on without waiting for its end. */
type Turn = { ended: Promise<unknown>; isPassed: boolean };

type Pending = Readonly<{ shards: ReadonlySet<number>; cut: () => void }>;

/**
 * Appends. One is one statement, in one round trip, and is never given up from here: only the caller decides by `fence`
 * that its answer matters no more.
 */
export class Appends {
  readonly #database: Database;
  readonly #owner: Owner;
  readonly #patienceMs: number;
  readonly #pending: Set<Pending> = new Set();
  /** The newest quote of each market. */
  readonly #quotes: Map<string, KeptQuote> = new Map();
  /** The last turn of the market journal. They are made one after the other, so that their rows have the order. */
  #turn: Turn = { ended: Promise.resolve(), isPassed: false };

  /** An append that was fenced is given up after `patienceMs`. */
  constructor(database: Database, owner: Owner, patienceMs: number) {
    this.#database = database;
    this.#owner = owner;
    this.#patienceMs = patienceMs;
  }

  /**
   * Writes a batch, as the port says. Market data that a later round of this handle has overtaken is written again, because
   * nobody else stores it; that of a handle whose epoch is over is left out, and refused if there is nothing else.
   */
  readonly append: OrderStore["append"] = async (batch) => {
    const { shards, prints = [], quotes = [] } = batch;
    const { market } = this.#owner;
    const hasMarket = prints.length + quotes.length > 0;
    if (hasMarket && market === undefined && shards.length === 0) throw laterOwner();
    if (!hasMarket || market === undefined) return (await this.#write(shards, shards, undefined)).outcomes;
    for (const quote of quotes) this.#quotes.set(quote.symbol, quote);
    let [sent, kept]: [AppendBatch["shards"], Written["outcomes"] | undefined] = [shards, undefined];
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      // A quote that is written again must not come after a newer one of its market.
      const newest =
        attempt === 1 ? quotes : quotes.filter((quote) => this.#quotes.get(quote.symbol) === quote);
      if (prints.length + newest.length === 0)
        return kept ?? (await this.#write(shards, sent, undefined)).outcomes;
      const data = { epoch: market, prints, quotes: newest };
      const written = await this.inMarket(() => this.#writeInRound(shards, sent, data));
      if (written === "passed") continue;
      const { outcomes, became } = written;
      kept ??= outcomes;
      sent = [];
      if (became === "refused" && shards.length === 0) throw laterOwner();
      if (became !== "overtaken") return kept;
    }
    throw new UnknownOutcome(`${ATTEMPTS} rounds of the market journal have overtaken an append`);
  };

  /**
   * Runs a write of the market journal after those before it. One whose outcome is not known, or that has no answer
   * after a while, is fenced first. One that has not begun by then is passed and never begins: the round that is due
   * already would not keep it from being under way at the same time.
   */
  async inMarket<T>(write: () => Promise<T>): Promise<T | "passed"> {
    const before = this.#turn;
    const late = (): Error => {
      before.isPassed = true;
      this.#owner.doubt();
      return new Error("the write before has no answer");
    };
    const turn: Turn = { ended: before.ended, isPassed: false };
    const written = withDeadline(before.ended, this.#patienceMs, late)
      .catch(() => undefined)
      .then(async () => {
        // The write follows in the same step in which no round is due. One that becomes due while another begins comes first.
        for (let { due } = this.#owner; due !== undefined && !turn.isPassed; { due } = this.#owner)
          await this.#begin(due);
        return turn.isPassed ? "passed" : await write();
      });
    turn.ended = written.catch(() => undefined);
    this.#turn = turn;
    return await written;
  }

  /**
   * Notes that a round of a shard has begun. Appends of the shard that are still without an answer are answered now, or
   * their connection hangs: it is cut after a while.
   */
  fenced(shard: number): void {
    for (const pending of this.#pending) {
      if (!pending.shards.has(shard)) continue;
      afterMs(this.#patienceMs, () => {
        if (this.#pending.has(pending)) pending.cut();
      });
    }
  }

  /** Cuts every append that has no answer after a while. */
  close(): void {
    for (const { shards } of this.#pending) for (const shard of shards) this.fenced(shard);
  }

  async #begin(due: MarketRound): Promise<void> {
    await this.#database.write(JOURNAL.fence, [MARKET_SHARD, due.epoch, due.round], "first");
    this.#owner.begun(due);
    this.fenced(MARKET_SHARD);
  }

  async #writeInRound(
    shards: AppendBatch["shards"],
    parts: AppendBatch["shards"],
    data: Omit<MarketPart, "round" | "next">,
  ): Promise<Written & Readonly<{ became: "kept" | "overtaken" | "refused" }>> {
    const { round, next } = this.#owner;
    const written = await this.#write(shards, parts, { ...data, round, next });
    const isOvertaken = this.#owner.market === data.epoch && this.#owner.round > round;
    if (written.isMarketKept) return { ...written, became: "kept" };
    return { ...written, became: isOvertaken ? "overtaken" : "refused" };
  }

  /** Writes parts of an append of `shards`: a fence of one of these decides that the answer matters no more. */
  async #write(
    shards: AppendBatch["shards"],
    parts: AppendBatch["shards"],
    market: MarketPart | undefined,
  ): Promise<Written> {
    const sent = parts.filter(isGapless);
    const { form, columns } = appendColumns(sent, market);
    if (sent.length === 0 && market === undefined)
      return { outcomes: parts.map(() => "fenced"), isMarketKept: false };
    const verdicts = verdictsIn(await this.#send(shards, APPEND[form], columns, market));
    const places = new Map(sent.map((part, index) => [part, index]));
    const outcomes = parts.map((part) =>
      verdicts.get(places.get(part) ?? Number.NaN) === true ? "durable" : "fenced",
    );
    return { outcomes, isMarketKept: verdicts.get(MARKET_PART) === true };
  }

  async #send(
    shards: AppendBatch["shards"],
    text: string,
    columns: readonly unknown[],
    market: MarketPart | undefined,
  ): Promise<readonly Row[]> {
    let cut = (): void => undefined;
    const numbers = shards.map(({ shard }) => shard);
    const pending = {
      shards: new Set(market === undefined ? numbers : [...numbers, MARKET_SHARD]),
      cut: () => cut(),
    };
    this.#pending.add(pending);
    try {
      return await this.#database.append(text, columns, (cutter) => {
        cut = cutter;
      });
    } catch (error) {
      if (market !== undefined && error instanceof UnknownOutcome) this.#owner.doubt();
      const { cause } = error as Error;
      throw takenName(brokenKey(cause) ?? "") ?? error;
    } finally {
      this.#pending.delete(pending);
    }
  }
}

function verdictsIn(rows: readonly Row[]): ReadonlyMap<number, boolean> {
  return new Map(rows.map((row) => [wholeIn(row, 0), textIn(row, 1) === "t"]));
}
