import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compareLoads } from "./compare.ts";
import { serve } from "./serve.ts";
import { soak } from "./soak.ts";

const [command = "compare", kind = "", options = "{}"] = process.argv.slice(2);

if (command === "server") await serve(kind, options);
else {
  const folder = mkdtempSync(join(tmpdir(), "managed-orders-load-"));
  try {
    if (command === "soak") await soak({ folder, seconds: Number(kind) || 300 });
    else await compareLoads({ folder, seconds: Number(kind) || 6 });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
