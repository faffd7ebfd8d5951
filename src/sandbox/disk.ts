import { createMemoryKeyValueStore, createMemoryStore } from "../adapters/memory/index.ts";
import { openPostgresStore } from "../adapters/postgres/index.ts";
import { openSqliteStore } from "../adapters/sqlite/index.ts";
import type { KeyValueStore, OrderStore, Rejections, Telemetry } from "../ports/index.ts";
import { createRejectionBuffer } from "../service/index.ts";
import type { SandboxSettings } from "./settings.ts";

/** What a sandbox keeps: orders, small values, refused orders. */
export type Disk = Readonly<{ orders: OrderStore; keyValue: KeyValueStore; rejections: Rejections }>;

/** Rejections kept per account if they are to be persisted but the store is in memory. */
const REJECTIONS_IN_MEMORY = 10_000;

/** Opens the store of the settings. Rejects with an Error for the operator if it cannot be opened. */
export async function openDisk(settings: SandboxSettings, telemetry: Telemetry): Promise<Disk> {
  const { store, persistRejections, retentionDays } = settings;
  const rejecting = { retentionDays, telemetry };
  if (store.kind === "memory") {
    const rejections = createRejectionBuffer(persistRejections ? { perAccount: REJECTIONS_IN_MEMORY } : {});
    return { orders: createMemoryStore(), keyValue: createMemoryKeyValueStore(), rejections };
  }
  const orders =
    store.kind === "postgres"
      ? await openPostgresStore({ ...placeOf(store), telemetry, rejections: rejecting })
      : // The venue's record is beside the store; two venues that write it would corrupt it.
        openSqliteStore({ path: store.path, exclusive: true, rejections: rejecting });
  const rejections = persistRejections ? orders.rejections : createRejectionBuffer();
  return { orders, keyValue: orders.keyValue, rejections };
}

function placeOf({
  url,
  schema,
}: Readonly<{ url: string; schema?: string }>): Parameters<typeof openPostgresStore>[0] {
  return { url, ...(schema !== undefined && { schema }) };
}
