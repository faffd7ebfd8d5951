import { errorMessage } from "../../common/index.ts";
import type { ShardLeases } from "../../ports/index.ts";
import type { Core } from "../core/core.ts";

/**
 * Ends the part in the cluster of a node that runs no engine, and closes its store. Waits for neither longer than for any answer
 * of a host, and never rejects: why the node ends is what its caller is told.
 */
export async function leaveCluster(
  { store, questions, telemetry }: Pick<Core, "store" | "questions" | "telemetry">,
  leases: Pick<ShardLeases, "leave">,
  incarnation: number,
): Promise<void> {
  const attempt = async (failed: string, call: () => Promise<void>): Promise<void> => {
    try {
      await call();
    } catch (error) {
      telemetry.event("warn", failed, { message: errorMessage(error) });
    }
  };
  await attempt("lease.unreleased", () => leases.leave(incarnation));
  await attempt("store.unclosed", () => questions.inTime(async () => await store.close()));
}
