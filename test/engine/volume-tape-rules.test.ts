import { describe, it } from "vitest";
import { testVolumeHistory, type VolumeHistoryPlace } from "../../src/conformance/index.ts";
import { VolumeTape } from "../../src/engine/market/volume-tape.ts";

const NOW_MS = 1_760_000_012_345;

/** The tape that the engine uses if the host has no volumes of its own. */
function createPlace(): VolumeHistoryPlace {
  const tape = new VolumeTape({
    state: { totals: [], bars: [], prints: [] },
    ...{ maxAgeMs: 5_000, maxAheadMs: 1_000, maxWaiting: 10_000 },
  });
  return {
    volumeHistory: tape,
    nowMs: () => NOW_MS,
    record(trades) {
      for (const trade of trades) tape.take({ ...trade, price: "100" }, { wallMs: NOW_MS, nowMs: NOW_MS });
    },
    idle: async () => undefined,
    remove: () => undefined,
  };
}

testVolumeHistory({ describe, it }, { name: "volume tape", supports: { remote: false }, createPlace });
