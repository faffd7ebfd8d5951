import type { WorldParts } from "../parts.ts";
import type { Random } from "../random.ts";
import type { Line } from "./line.ts";

/** What each part of a client has: the world, its way to the service, whose it is, and chance of its own. */
export type Desk = Readonly<{ parts: WorldParts; line: Line; accountId: number; random: Random }>;
