import { errorCode } from "../../common/index.ts";
import type { Clock, Telemetry } from "../../ports/index.ts";
import type { AppendLog } from "./append-log.ts";
import { encodeEntry } from "./entry.ts";
import type { ChildrenForgotten } from "./forgetting-entry.ts";
import { RecordCompaction } from "./record-compaction.ts";
import { type Forgetting, SettledChildren } from "./settled-children.ts";
import type { VenueRecord } from "./venue-record.ts";

/** Number of checks for due children in the time after which a child is forgotten. */
const LOOKS = 32;

/** Number of children that are forgotten in one turn, and in one line of the record. */
const SLICE = 256;

/** A record with fewer obsolete lines is not rewritten. */
const STALE_LINES = 1_000;

/** Dependencies of a forgetter on its venue. */
export type ForgetterParts = Readonly<{
  clock: Clock;
  record: VenueRecord;
  log: AppendLog;
  forgetting: Forgetting;
  /** Counts a promise as work of the venue until it settles. */
  work: <T>(work: Promise<T>) => Promise<T>;
  /** Called when a child has been durably forgotten. */
  forgot: (childId: string) => void;
  telemetry: Telemetry | undefined;
}>;

/**
 * Forgets children that were settled a while ago. First a line of the record states it; then they are removed from
 * memory, some in each turn. When half of the record is obsolete, it is rewritten beside the old one.
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

  /**
   * Restarts a child's quiet time: a caller has sent it, looked it up or released it, and may still need its outcome.
   */
  asked(childId: string): void {
    const settledAtMs = this.#parts.record.settledAtMs(childId);
    if (settledAtMs === undefined) return;
    this.#settled.add(childId, { settledAtMs, askedAtMs: this.#parts.clock.monotonicMs() });
    this.#arm();
  }

  /** Stops forgetting. */
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
      // The writers of the record report that it cannot be written. Children that were not forgotten now are forgotten
      // later.
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
