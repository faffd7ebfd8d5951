import type { Instance } from "./instance.ts";
import type { WorldParts } from "./parts.ts";

/** Closes the engine of a process, then ends the process. */
export async function closeAndEnd(parts: WorldParts, instance: Instance): Promise<void> {
  try {
    await (instance.engine?.close() ?? instance.node?.close());
    parts.fleet.kill(instance);
  } catch (error) {
    endFailed(parts, instance, error);
  }
}

/** Ends a process whose engine could not be closed, which may only be because of its store. */
export function endFailed({ requireThat, fleet }: WorldParts, instance: Instance, error: unknown): void {
  requireThat(instance.dead || instance.storeFaults > 0, "an engine closes", () => String(error));
  fleet.kill(instance);
}
