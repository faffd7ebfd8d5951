import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runWeek } from "./week.ts";

it("a store stops growing; journal, archive and a restored backup are whole and equal", async () => {
  const folder = mkdtempSync(join(tmpdir(), "managed-orders-lifetime-"));
  try {
    const { days, longestStepMs, ...checks } = await runWeek({
      records: 6_000,
      days: 5,
      shards: 4,
      folder,
      say: () => undefined,
    });
    expect(checks).toEqual({ equal: true, whole: true, restoredEqual: true, restoredWhole: true });
    const [, , third, , fifth] = days;
    expect(fifth?.records).toBeLessThanOrEqual((third?.records ?? 0) * 1.05);
    expect(longestStepMs).toBeGreaterThan(0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
