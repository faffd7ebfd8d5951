import { errorCode } from "../../common/index.ts";
import type { Clock, Telemetry } from "../../ports/index.ts";
import type { AppendLog } from "./append-log.ts";
import { encodeEntry } from "./entry.ts";
import type { ChildrenForgotten } from "./forgetting-entry.ts";
import { RecordCompaction } from "./record-compaction.ts";
import { type Forgetting, SettledChildren } from "./settled-children.ts";
import type { VenueRecord } from "./venue-record.ts";

/** Looks for what is due so many times in the time after which a child is forgotten. */
const LOOKS = 32;

/** Children that are forgotten in one turn, and in one line of the record. */
const SLICE = 256;

/** A record with fewer lines that say nothing any more is not written anew. */
const STALE_LINES = 1_000;

/** What a forgetter shares with its venue. */
export type ForgetterParts = Readonly<{
  clock: Clock;
  record: VenueRecord;
  log: AppendLog;
  forgetting: Forgetting;
  /** Counts as work of the venue until it is done. */
  work: <T>(work: Promise<T>) => Promise<T>;
  /** A child was forgotten, durably. */
  forgot: (childId: string) => void;
  telemetry: Telemetry | undefined;
}>;

/**
 * Forgets children that were settled a while ago: first a line of the record says so, then memory lets go of them, some
 * in each turn. When half of the record says nothing any more, it is written anew beside the old one.
 */
export class Forgetter {
  readonly #parts: ForgetterParts;
  readonly #settled: SettledChildren;
  #cancel: (() => void) | undefined;
  #isStopped = false;

  constructor(parts: ForgetterParts) {
    this.#parts = parts;
    this.#settled = new SettledChildren(parts.forgetting);
    for (const childId of parts.record.settled()) this.asked(childId);
  }

  /** Somebody has sent the child, asked for it or let it go: its outcome, if it is told, may be news to them. */
  asked(childId: string): void {
    const settledAtMs = this.#parts.record.settledAtMs(childId);
    if (settledAtMs === undefined) return;
    this.#settled.add(childId, { settledAtMs, askedAtMs: this.#parts.clock.monotonicMs() });
    this.#arm();
  }

  /** Nothing is forgotten from now on. */
  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
  }

  #arm(): void {
    if (this.#isStopped || this.#cancel !== undefined || this.#settled.size === 0) return;
    const { clock, forgetting, work } = this.#parts;
    const atMs = clock.monotonicMs() + Math.ceil(forgetting.afterMs / LOOKS);
    this.#cancel = clock.schedule(atMs, () => void work(this.#look()));
  }

  async #look(): Promise<void> {
    try {
      await this.#forgetDue();
      await this.#compact();
    } catch (error) {
      // A record that cannot be written is told by whoever writes to it; what was not forgotten now is so later.
      const code = errorCode(error);
      this.#parts.telemetry?.event("warn", "venue-record.not-shortened", { code });
    }
    this.#cancel = undefined;
    this.#arm();
  }

  async #forgetDue(): Promise<void> {
    const { clock, record, log } = this.#parts;
    while (!this.#isStopped && !log.isFailing) {
      const now = { nowMs: clock.nowMs(), monotonicMs: clock.monotonicMs() };
      const children = this.#settled.takeDue(now, SLICE);
      if (children.length === 0) return;
      record.leave(children);
      const entry: ChildrenForgotten = { kind: "forgotten", children, timeMs: now.nowMs };
      await log.append(encodeEntry(entry), () => {
        record.apply(entry);
        for (const childId of children) this.#parts.forgot(childId);
      });
      await new Promise<void>((resolve) => clock.soon(resolve));
    }
  }

  async #compact(): Promise<void> {
    const { record, log } = this.#parts;
    const { stale, lines } = record;
    if (this.#isStopped || stale < STALE_LINES || stale * 2 < lines) return;
    const compaction = new RecordCompaction(record);
    await log.compact({
      line: (text) => {
        if (this.#isStopped) throw new Error("the venue was closed");
        return compaction.line(text);
      },
      end: () => compaction.end(),
    });
    record.compacted({ dropped: compaction.dropped, stale });
  }
}
