import type { Random } from "../../../src/common/random.ts";
import type { WorldParts } from "../parts.ts";
import type { Transport } from "./transport.ts";

/**
 * Context of each part of a client: the world, the transport to the service, the account, and its own random generator.
 */
export type ClientContext = Readonly<{
  parts: WorldParts;
  transport: Transport;
  accountId: number;
  random: Random;
}>;
