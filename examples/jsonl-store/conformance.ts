import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { testOrderStore } from "managed-orders/conformance";
import { openJsonlStore } from "./jsonl-store.ts";

testOrderStore(
  { describe, it },
  {
    name: "JSON lines",
    supports: { leases: false, pageEndedNames: false, priceBars: false, progress: false, forgetEnded: false },
    createPlace() {
      const folder = mkdtempSync(join(tmpdir(), "jsonl-store-"));
      return {
        open: () => openJsonlStore(join(folder, "orders.jsonl")),
        remove: () => rmSync(folder, { recursive: true }),
      };
    },
  },
);
