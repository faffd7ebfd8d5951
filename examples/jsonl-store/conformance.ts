import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { testStorage } from "managed-orders/conformance";
import { openJsonlStorage } from "./jsonl-storage.ts";

testStorage(
  { describe, it },
  {
    name: "JSON lines",
    supports: { durable: true, shared: false },
    createPlace() {
      const folder = mkdtempSync(join(tmpdir(), "jsonl-store-"));
      return {
        open: () => openJsonlStorage(join(folder, "orders.jsonl")),
        remove: () => rmSync(folder, { recursive: true }),
      };
    },
  },
);
