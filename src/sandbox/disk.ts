import { createMemoryStore, type RateLimiterOptions } from "../adapters/memory/index.ts";
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

/** Opens the store of the settings. Rejects with an Error for the operator if it cannot be opened. */
export async function openDisk(settings: SandboxSettings, telemetry: Telemetry): Promise<Disk> {
  const { store, persistRejections, retentionDays } = settings;
  const orders = await openStore(store, { telemetry, rejections: { retentionDays, telemetry } });
  const rejections = persistRejections ? orders.rejections : createRejectionBuffer();
  const openRateLimiter: Disk["openRateLimiter"] = (options) =>
    orders.openRateLimiter({ ...options, telemetry });
  return { orders, keyValue: orders.keyValue, rejections, openRateLimiter };
}

type Opening = Readonly<{
  telemetry: Telemetry;
  rejections: Readonly<{ retentionDays: number; telemetry: Telemetry }>;
}>;

async function openStore(store: SandboxSettings["store"], options: Opening) {
  const { rejections } = options;
  if (store.kind === "memory") return createMemoryStore({ rejections });
  if (store.kind === "sqlite") return openSqliteStore({ path: store.path, rejections });
  return await openPostgresStore({ ...placeOf(store), ...options });
}

function placeOf({
  url,
  schema,
}: Readonly<{ url: string; schema?: string }>): Parameters<typeof openPostgresStore>[0] {
  return { url, ...(schema !== undefined && { schema }) };
}
