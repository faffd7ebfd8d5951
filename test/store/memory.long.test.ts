import { describe, it } from "vitest";
import { createManualClock, createMemoryDisk, createMemoryStorage } from "../../src/adapters/memory/index.ts";
import { openStore } from "../../src/store/index.ts";
import { testOrderStore } from "./rules/index.ts";

for (const forget of [false, true])
  testOrderStore(
    { describe, it },
    {
      name: forget ? "memory disk, forgetting" : "memory disk",
      supports: { leases: true, pageEndedNames: true, priceBars: true, progress: true, pruneEnded: forget },
      createPlace() {
        const disk = createMemoryDisk();
        const clock = createManualClock({ startMs: 1_760_000_000_000 });
        return {
          open: () => openStore(createMemoryStorage({ disk, clock }), { journal: { prune: forget } }),
          remove: () => {},
        };
      },
    },
  );
