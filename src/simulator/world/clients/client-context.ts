import type { WorldParts } from "../parts.ts";
import type { Random } from "../random.ts";
import type { Transport } from "./transport.ts";

/** What each part of a client has: the world, its way to the service, whose it is, and chance of its own. */
export type ClientContext = Readonly<{
  parts: WorldParts;
  transport: Transport;
  accountId: number;
  random: Random;
}>;
