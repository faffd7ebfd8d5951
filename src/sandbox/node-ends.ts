import { type Engine, HandOverError, type StatusKind } from "../engine/index.ts";
import type { Exchange } from "./exchange.ts";

/** Conditions in which the orders belong to other processes. */
const REPLACED: ReadonlySet<StatusKind> = new Set(["LEASE_LOST", "SHARD_FENCED"]);

/** Resolves once the orders of an engine belong to other processes. */
export function replaced(engine: Pick<Engine, "events" | "status">): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (engine.status().reasons.some(({ kind }) => REPLACED.has(kind))) resolve();
    };
    engine.events.on("status", look);
    look();
  });
}

/**
 * Calls a function whenever an operator begins to want that a node hands over, and resolves once a call has resolved to true.
 * Rejects if one rejects.
 */
export function drained(
  engine: Pick<Engine, "events" | "status">,
  handOver: () => Promise<boolean>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      if (!engine.status().reasons.some(({ kind }) => kind === "HAND_OVER_WANTED")) return;
      handOver().then((isHandedOver) => {
        if (isHandedOver) resolve();
      }, reject);
    };
    engine.events.on("status", ({ change }) => {
      if (change === "HAND_OVER_WANTED") look();
    });
    look();
  });
}

/** Closes an exchange once other nodes take over what it owns, and resolves to true. Resolves to false if none does. */
export async function handedOver(exchange: Pick<Exchange, "engine" | "close">): Promise<boolean> {
  try {
    await exchange.engine.handOver();
  } catch (error) {
    if (!(error instanceof HandOverError)) throw error;
    return false;
  }
  await exchange.close();
  return true;
}
