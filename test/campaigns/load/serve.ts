import { openMinimalServer } from "./minimal-server.ts";
import { openBareServer, openServiceServer, type ServiceLoad } from "./server.ts";

/** Runs a server of this kind until its parent stops it; `options` is JSON. */
export async function serve(kind: string, options: string): Promise<void> {
  const load: ServiceLoad = JSON.parse(options);
  const server = await (kind === "bare"
    ? openBareServer()
    : kind === "minimal"
      ? openMinimalServer(load.path)
      : openServiceServer(load));
  process.on("message", (message) => {
    if (message === "stop") return void server.close().then(() => process.exit(0));
    const cpu = server.cpu();
    globalThis.gc?.();
    const cpuCollected = server.cpu();
    const { rss, heapUsed } = process.memoryUsage();
    process.send?.({
      ...{ openParents: server.openParents(), rssBytes: rss, heapBytes: heapUsed },
      ...{ cpu, cpuCollected },
    });
  });
  process.on("disconnect", () => process.exit(1));
  process.send?.(server.port);
}
