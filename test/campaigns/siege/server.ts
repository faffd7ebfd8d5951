import type { Engine } from "../../../src/engine/index.ts";
import { type OrderFields, orderIntent } from "../../../src/requests/index.ts";
import { startSandbox } from "../../../src/sandbox/sandbox.ts";
import { readSettings, readVenueSettings } from "../../../src/sandbox/settings.ts";
import { startVenue } from "../../../src/sandbox/venue-process.ts";
import { BROKE, BUSY, HONEST } from "./keys.ts";
import { openPair } from "./pair.ts";

/** The report of a besieged server about itself. */
export type ServerState = Readonly<{
  /** Heap and buffers in use, after a garbage collection. */
  heldBytes: number;
  /** The highest memory use of the process. */
  peakBytes: number;
  /**
   * The longest processor time between two checks since the last state; checks are {@link LOOK_EVERY_MS} apart when it
   * is idle.
   */
  longestTurnMs: number;
}>;

const LOOK_EVERY_MS = 10;

/** The sandbox as `npm start` runs it, in this process. */
export type SiegeServer = Readonly<{
  port: number;
  /** The port that is attacked, if it is another one. */
  attackedPort: number;
  state: () => ServerState;
  close: () => Promise<void>;
}>;

/** What a server has before an attack. */
export type Before = Readonly<{
  /** Orders that the busy account has open. */
  open?: Readonly<{ count: number; terms: OrderFields }>;
  /** Whether the venue is behind a port of its own, which is attacked. */
  venueApart?: boolean;
  /** Whether clients reach a node that forwards everything to another one, whose link is attacked. */
  forwarded?: boolean;
}>;

/** Orders that are placed at the same time. */
const AT_ONCE = 250;

const BUSY_ID = 3;

const VENUE = {
  ...{ PORT: "auto", CONTROL_PORT: "auto", VENUE_RECORD: "memory:" },
  VENUE_SECRET: "a secret of the siege that only the venue and the sandbox know",
};

/**
 * Opens the sandbox on a free port of the loopback. Only the number of orders is unlimited, since all accounts belong
 * to the test.
 */
export async function openSiegeServer(
  folder: string,
  { open, venueApart = false, forwarded = false }: Before = {},
): Promise<SiegeServer> {
  const venue = venueApart ? await startVenue(readVenueSettings({ env: VENUE, argv: [] })) : undefined;
  const env = {
    ...(venue !== undefined && {
      ...{ VENUE: venue.url, VENUE_SECRET: VENUE.VENUE_SECRET, VENUE_CONTROL: venue.controlUrl },
    }),
    PORT: "auto",
    CONTROL_PORT: "off",
    FRONT_THREADS: process.env["FRONT_THREADS"],
    STORE: `sqlite:${folder}/orders.db`,
    RATE_LIMITS: "orders10s=1000000,orders1d=1000000000",
    SANDBOX_API_KEY: HONEST.apiKey,
    SANDBOX_API_SECRET: HONEST.secret,
  };
  const settings = readSettings({ env, argv: [] });
  const sandbox = await startSandbox(settings);
  const { exchange } = sandbox;
  for (const [accountId, key] of [
    [2, BROKE],
    [BUSY_ID, BUSY],
  ] as const)
    await exchange.directory.replaceAccount({
      ...{ accountId, userId: accountId, ...key, permissions: ["READ", "TRADE"], enableDataSharing: true },
      ...{ ipAllowlist: [], delegates: [], restricted: false },
    });
  const balances = { USD: "1000000000", BTC: "100000" };
  await exchange.desk.setFunds(BUSY_ID, { balances });
  if (open !== undefined) await placeAll(exchange.engine, open);
  const pair = forwarded ? await openPair(exchange, settings) : undefined;
  let longestTurnMs = 0;
  let before = busyMs();
  const look = setInterval(() => {
    const now = busyMs();
    longestTurnMs = Math.max(longestTurnMs, now - before);
    before = now;
  }, LOOK_EVERY_MS);
  const port = pair?.port ?? portOf(sandbox.url);
  return {
    port,
    attackedPort: pair?.linkPort ?? (venue === undefined ? port : portOf(venue.url)),
    state() {
      globalThis.gc?.();
      const { heapUsed, external } = process.memoryUsage();
      const peakBytes = process.resourceUsage().maxRSS * 1_024;
      // The cost of the garbage collection does not count as a turn.
      before = busyMs();
      const state = { heldBytes: heapUsed + external, peakBytes, longestTurnMs };
      longestTurnMs = 0;
      return state;
    },
    async close() {
      clearInterval(look);
      await pair?.close();
      await sandbox.stop();
      await venue?.stop();
    },
  };
}

const portOf = (url: string): number => Number.parseInt(new URL(url).port, 10);

async function placeAll(
  engine: Pick<Engine, "place">,
  { count, terms }: NonNullable<Before["open"]>,
): Promise<void> {
  const intents = Array.from({ length: count }, (_, index) =>
    orderIntent({ ...terms, newClientOrderId: `busy-${index}` }),
  );
  while (intents.length > 0)
    await Promise.all(intents.splice(-AT_ONCE).map((intent) => engine.place({ accountId: BUSY_ID, intent })));
}

function busyMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
