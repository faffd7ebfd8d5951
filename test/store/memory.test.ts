import { describe, it } from "vitest";
import { createManualClock, createMemoryKeys, createMemoryStorage } from "../../src/adapters/memory/index.ts";
import { testOrderStore } from "../../src/conformance/index.ts";
import { openStore } from "../../src/store/index.ts";

for (const forget of [false, true])
  testOrderStore(
    { describe, it },
    {
      name: forget ? "memory keys, forgetting" : "memory keys",
      supports: { leases: true, pageEndedNames: true, priceBars: true, progress: true, forgetEnded: forget },
      createPlace() {
        const keys = createMemoryKeys();
        const clock = createManualClock({ startMs: 1_760_000_000_000 });
        return {
          open: () => openStore(createMemoryStorage({ keys, clock }), { journal: { forget } }),
          remove: () => {},
        };
      },
    },
  );
