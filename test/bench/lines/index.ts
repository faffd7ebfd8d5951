import type { Line } from "../line.ts";
import { coreBundle, signingBundle } from "./bundles.ts";
import { forwarding } from "./forwarding.ts";
import { lists } from "./lists.ts";
import { historyPage } from "./pages.ts";
import { placements64, placements512 } from "./placements.ts";
import { dormantHeartbeats, dormantQuotes, newHighsManyATurn, newHighsOneATurn } from "./quotes.ts";
import { rest, restFronts, socket, socketFronts } from "./requests.ts";
import { memory, restart } from "./resting.ts";
import { clientSigning, clientSigningCcxt, verification } from "./signing.ts";
import { simulateQuotes, simulateTrades } from "./simulate.ts";
import { simulation } from "./simulation.ts";
import { firstChildOfBurst, singleChild, triggers } from "./triggers.ts";
import { turnOfCancelAll, turnOfFires, turnOfRetention, turnOfSnapshot } from "./turns.ts";

/** All lines of the table in order, by the names that the command takes. */
export const LINES: Readonly<Record<string, Line>> = {
  "dormant-quotes": dormantQuotes,
  "dormant-heartbeats": dormantHeartbeats,
  "new-highs-1": newHighsOneATurn,
  "new-highs-64": newHighsManyATurn,
  triggers,
  "placements-64": placements64,
  "placements-512": placements512,
  lists,
  rest,
  "rest-fronts": restFronts,
  socket,
  "socket-fronts": socketFronts,
  forwarding,
  verification,
  "client-signing": clientSigning,
  "client-signing-ccxt": clientSigningCcxt,
  "single-child": singleChild,
  "first-child": firstChildOfBurst,
  "turn-fires": turnOfFires,
  "turn-cancel-all": turnOfCancelAll,
  "turn-snapshot": turnOfSnapshot,
  "turn-retention": turnOfRetention,
  memory,
  restart,
  page: historyPage,
  simulation,
  simulate: simulateQuotes,
  "simulate-trades": simulateTrades,
  "signing-bundle": signingBundle,
  "core-bundle": coreBundle,
};
