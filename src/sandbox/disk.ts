import {
  createMemoryKeyValueStore,
  createMemoryRateLimiter,
  createMemoryStore,
  type RateLimiterOptions,
} from "../adapters/memory/index.ts";
import { openPostgresStore } from "../adapters/postgres/index.ts";
import { openSqliteStore } from "../adapters/sqlite/index.ts";
import type { KeyValueStore, OrderStore, RateLimiter, Rejections, Telemetry } from "../ports/index.ts";
import { createRejectionBuffer } from "../service/index.ts";
import type { SandboxSettings } from "./settings.ts";

/** What a sandbox keeps: orders, small values, refused orders, and what its rate limiter counts. */
export type Disk = Readonly<{
  orders: OrderStore;
  keyValue: KeyValueStore;
  rejections: Rejections;
  openRateLimiter: (options: RateLimiterOptions) => Promise<RateLimiter>;
}>;

/** Rejections kept per account if they are to be persisted but the store is in memory. */
const REJECTIONS_IN_MEMORY = 10_000;

/** Opens the store of the settings. Rejects with an Error for the operator if it cannot be opened. */
export async function openDisk(settings: SandboxSettings, telemetry: Telemetry): Promise<Disk> {
  const { store, persistRejections, retentionDays } = settings;
  const rejecting = { retentionDays, telemetry };
  if (store.kind === "memory") {
    const rejections = createRejectionBuffer(persistRejections ? { perAccount: REJECTIONS_IN_MEMORY } : {});
    const openRateLimiter: Disk["openRateLimiter"] = async (options) => createMemoryRateLimiter(options);
    return {
      orders: createMemoryStore(),
      keyValue: createMemoryKeyValueStore(),
      rejections,
      openRateLimiter,
    };
  }
  const orders =
    store.kind === "postgres"
      ? await openPostgresStore({ ...placeOf(store), telemetry, rejections: rejecting })
      : openSqliteStore({ path: store.path, rejections: rejecting });
  const rejections = persistRejections ? orders.rejections : createRejectionBuffer();
  const openRateLimiter: Disk["openRateLimiter"] = (options) =>
    orders.openRateLimiter({ ...options, telemetry });
  return { orders, keyValue: orders.keyValue, rejections, openRateLimiter };
}

function placeOf({
  url,
  schema,
}: Readonly<{ url: string; schema?: string }>): Parameters<typeof openPostgresStore>[0] {
  return { url, ...(schema !== undefined && { schema }) };
}
