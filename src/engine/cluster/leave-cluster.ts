import { errorMessage } from "../../common/index.ts";
import type { ShardLeases } from "../../ports/index.ts";
import type { Core } from "../core/core.ts";

type Reporting = Pick<Core, "telemetry">;

/**
 * Ends the part in the cluster of a node that runs no engine, and closes its store. Waits for neither longer than for any answer
 * of a host, and never rejects: why the node ends is what its caller is told.
 */
export async function leaveCluster(
  { store, questions, telemetry }: Pick<Core, "store" | "questions"> & Reporting,
  leases: Pick<ShardLeases, "leave">,
  incarnation: number,
): Promise<void> {
  await attempt({ telemetry }, "lease.unreleased", () => leases.leave(incarnation));
  await closeQuietly({ telemetry }, () => questions.inTime(async () => await store.close()));
}

/** Closes a store, and tells the operator if that fails. Never rejects. */
export async function closeQuietly(core: Reporting, close: () => Promise<void>): Promise<void> {
  await attempt(core, "store.unclosed", close);
}

async function attempt({ telemetry }: Reporting, failed: string, call: () => Promise<void>): Promise<void> {
  try {
    await call();
  } catch (error) {
    telemetry.event("warn", failed, { message: errorMessage(error) });
  }
}
