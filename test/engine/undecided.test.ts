import { describe, expect, it } from "vitest";
import type { Waiter } from "../../src/engine/core/live-order.ts";
import { Undecided } from "../../src/engine/shards/pending-records.ts";
import { OrderError } from "../../src/errors/index.ts";
import type { JournalRecord } from "../../src/model/index.ts";
import { encodeRecord } from "../../src/wire/index.ts";
import { sampleRecord } from "../store/rules/samples.ts";

/** An undecided record 5, and what its caller is told if the journal ends with `last`. */
function subject(): Readonly<{ undecided: Undecided; reportedOf: (last: number) => string }> {
  const undecided = new Undecided();
  const record = sampleRecord(0, 5);
  let reported = "nothing";
  const waiter: Waiter = {
    resolve: () => {
      reported = "kept";
    },
    reject: (error) => {
      reported = error instanceof OrderError ? error.reason : String(error);
    },
  };
  undecided.add(
    {
      record,
      text: encodeRecord(record),
      decision: 0,
      decidedAtMs: 0,
      steps: [],
      list: undefined,
      waiters: [waiter],
    },
    true,
  );
  const reportedOf = (last: number): string => {
    undecided.answer({ refusal: undefined, last, found: () => undefined });
    return reported;
  };
  return { undecided, reportedOf };
}

/** What the caller of record 5 is told if the journal ends with `last` and a reading has shown these. */
function reportedOf(last: number, ...shown: readonly JournalRecord[]): string {
  const { undecided, reportedOf: answer } = subject();
  const show = undecided.reading();
  for (const record of shown) show(record);
  return answer(last);
}

describe("I01, I02: what the caller of a record is told whose append failed", () => {
  it("success if the same record is in its place", () => {
    expect(reportedOf(6, sampleRecord(0, 4), sampleRecord(0, 5), sampleRecord(0, 6))).toBe("kept");
  });

  it("not stored if the journal ends before it", () => {
    expect(reportedOf(4, sampleRecord(0, 4))).toBe("DISCONNECTED");
  });

  it("not stored if another record is in its place: one place holds one record", () => {
    const other = sampleRecord(0, 5);
    expect(reportedOf(5, { ...other, timeMs: other.timeMs + 1 })).toBe("DISCONNECTED");
  });

  it("unknown if its place is under a snapshot and is not read", () => {
    expect(reportedOf(9, sampleRecord(0, 8), sampleRecord(0, 9))).toBe("UNEXPECTED_RESPONSE");
  });

  it("evidence of an earlier reading does not count", () => {
    const { undecided, reportedOf: answer } = subject();
    undecided.reading()(sampleRecord(0, 5));
    undecided.reading();
    expect(answer(5)).toBe("UNEXPECTED_RESPONSE");
  });
});
