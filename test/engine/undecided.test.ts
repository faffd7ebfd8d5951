import { describe, expect, it } from "vitest";
import { sampleRecord } from "../../src/conformance/internal.ts";
import type { PendingRecord } from "../../src/engine/core/live-order.ts";
import { Undecided } from "../../src/engine/shards/undecided.ts";
import type { JournalRecord } from "../../src/model/index.ts";
import { encodeRecord } from "../../src/wire/index.ts";

const pendingOf = (record: JournalRecord): PendingRecord => ({
  record,
  text: encodeRecord(record),
  decision: 0,
  steps: [],
  waiters: [],
});

/** The state of record 5 if the journal ends with `last` and a reading has shown these. */
function fateOf(last: number, ...shown: readonly JournalRecord[]): string {
  const undecided = new Undecided();
  undecided.add(pendingOf(sampleRecord(0, 5)), true);
  const show = undecided.reading();
  for (const record of shown) show(record);
  const [one] = undecided.take();
  return one === undefined ? "none" : undecided.fateOf(one, last);
}

describe("I01, I02: the store's evidence about a record whose append failed", () => {
  it("written: the same record is in its place", () => {
    expect(fateOf(6, sampleRecord(0, 4), sampleRecord(0, 5), sampleRecord(0, 6))).toBe("kept");
  });

  it("lost: the journal ends before it", () => {
    expect(fateOf(4, sampleRecord(0, 4))).toBe("lost");
  });

  it("lost: another record is in its place, and one place holds one record", () => {
    const other = sampleRecord(0, 5);
    expect(fateOf(5, { ...other, timeMs: other.timeMs + 1 })).toBe("lost");
  });

  it("unknown: its place is under a snapshot and is not read", () => {
    expect(fateOf(9, sampleRecord(0, 8), sampleRecord(0, 9))).toBe("unknown");
  });

  it("evidence of an earlier reading does not count", () => {
    const undecided = new Undecided();
    undecided.add(pendingOf(sampleRecord(0, 5)), true);
    undecided.reading()(sampleRecord(0, 5));
    undecided.reading();
    const [one] = undecided.take();
    expect(one && undecided.fateOf(one, 5)).toBe("unknown");
  });
});
