import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compareLoads } from "./compare.ts";
import { openBareServer, openServiceServer } from "./server.ts";
import { soak } from "./soak.ts";

const [command = "compare", kind = "", options = "{}"] = process.argv.slice(2);

/** Runs a server until its parent says stop. */
async function serve(): Promise<void> {
  const server = kind === "bare" ? await openBareServer() : await openServiceServer(JSON.parse(options));
  process.on("message", (message) => {
    if (message === "stop") return void server.close().then(() => process.exit(0));
    const cpu = server.cpu();
    globalThis.gc?.();
    const { rss, heapUsed } = process.memoryUsage();
    process.send?.({
      ...{ openParents: server.openParents(), rssBytes: rss, heapBytes: heapUsed },
      cpu,
    });
  });
  process.on("disconnect", () => process.exit(1));
  process.send?.(server.port);
}

if (command === "server") await serve();
else {
  const folder = mkdtempSync(join(tmpdir(), "managed-orders-load-"));
  try {
    if (command === "soak") await soak({ folder, seconds: Number(kind) || 300 });
    else await compareLoads({ folder, seconds: Number(kind) || 6 });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
