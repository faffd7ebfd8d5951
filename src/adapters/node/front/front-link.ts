import type { Telemetry } from "../../../ports/index.ts";
import type { Service, SocketService } from "../../../service/index.ts";
import type { Traffic } from "../../../service/internal.ts";
import { Batch } from "./batch.ts";
import { type ConnectionCount, FrontGate } from "./front-gate.ts";
import { FrontKeys } from "./front-keys.ts";
import { FrontLines } from "./front-lines.ts";
import { FrontRequests } from "./front-requests.ts";
import type { ToFront, ToMain } from "./messages.ts";

/**
 * Number of messages that are acknowledged even if there is nothing else to send: waking a thread costs more than a
 * message. It must be less than the number that the thread allows in transit, or both threads would wait.
 */
const ACKNOWLEDGED_ALONE = 64;

/** Parts that the front threads of one server share on the main thread. */
export type LinkParts = Readonly<{
  service: Pick<Service, "handle">;
  sockets?: SocketService | undefined;
  traffic: Traffic;
  telemetry?: Telemetry | undefined;
  connections: ConnectionCount;
}>;

/**
 * The main thread's side of one front thread. It handles everything that must exist once, in the order of the thread's
 * messages: the service with its order of defences, the traffic, and the number of connections. Source: decisions HR
 * and HS.
 */
export class FrontLink {
  readonly #telemetry: Telemetry | undefined;
  readonly #batch: Batch<ToFront>;
  readonly #requests: FrontRequests;
  readonly #gate: FrontGate;
  readonly #lines: FrontLines;
  #live = true;
  /** Number of messages received and not yet acknowledged. */
  #unacknowledged = 0;

  constructor(
    { service, sockets, traffic, telemetry, connections }: LinkParts,
    post: (messages: readonly ToFront[]) => void,
  ) {
    this.#telemetry = telemetry;
    const deliver = (messages: readonly ToFront[]): void => {
      if (this.#live) post(messages);
    };
    const batch = new Batch<ToFront>(deliver, { before: (isAlone) => this.#acknowledge(isAlone) });
    const keys = new FrontKeys((...message) => batch.add(["secret", ...message]));
    this.#batch = batch;
    this.#requests = new FrontRequests({ service, sockets, traffic, batch, keys });
    this.#gate = new FrontGate({ traffic, connections, batch });
    this.#lines = new FrontLines({ sockets, telemetry, batch, keys });
  }

  /** Takes a list of messages from the thread. */
  take(messages: readonly ToMain[]): void {
    for (const message of messages) this.#take(message);
    this.#unacknowledged += messages.length;
    if (this.#unacknowledged >= ACKNOWLEDGED_ALONE) this.#batch.plan();
  }

  /** Adds an acknowledgement at the end of a turn, if other messages are sent or many are unacknowledged. */
  #acknowledge(isAlone: boolean): void {
    if (this.#unacknowledged === 0 || (isAlone && this.#unacknowledged < ACKNOWLEDGED_ALONE)) return;
    this.#batch.add(["heard", this.#unacknowledged]);
    this.#unacknowledged = 0;
  }

  /** Asks the thread to answer open requests and to end. */
  end(graceMs: number): void {
    this.#batch.add(["end", graceMs]);
  }

  /** Drops the connections of a thread that has ended. Requests in progress continue, but their replies are dropped. */
  gone(): void {
    this.#live = false;
    this.#lines.gone();
    this.#gate.gone();
  }

  #take(message: ToMain): void {
    switch (message[0]) {
      case "request":
        return void this.#requests.serve(message);
      case "admit":
        return void this.#requests.admit(message);
      case "open":
        return this.#gate.open(message);
      case "enter":
        return this.#gate.enter(message);
      case "leave":
        return this.#gate.leave(message);
      case "hold":
        return this.#gate.hold(message);
      case "end":
        return this.#gate.end(message);
      case "event":
        return this.#telemetry?.event(message[1], message[2], message[3]);
      case "listens":
      case "cannot":
      case "closed":
        return;
      default:
        return this.#lines.take(message);
    }
  }
}
