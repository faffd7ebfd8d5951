import { errorName } from "../../../common/index.ts";
import type { Service, SocketService } from "../../../service/index.ts";
import type { Traffic } from "../../../service/internal.ts";
import { REQUEST_COST } from "../held-request.ts";
import type { Batch } from "./batch.ts";
import { FrontCall } from "./front-call.ts";
import type { FrontKeys } from "./front-keys.ts";
import { FrontRequest } from "./front-request.ts";
import type { MessageOf, ToFront } from "./messages.ts";
import { joinHeaders } from "./texts.ts";

type Parts = Readonly<{
  service: Pick<Service, "handle">;
  sockets: SocketService | undefined;
  traffic: Traffic;
  batch: Batch<ToFront>;
  keys: FrontKeys;
}>;

/** Lets the service answer the requests of a front thread. */
export class FrontRequests {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Answers a request. Counts its bytes for its network while it is being answered; the thread counts them before and
   * after.
   */
  async serve(message: MessageOf<"request">): Promise<void> {
    const { service, traffic, batch, keys } = this.#parts;
    const id = message[1];
    const request = new FrontRequest(message);
    let cut = false;
    const holdings = traffic.guest(traffic.networkOf(request), {
      unsentBytes: () => 0,
      putOut: () => {
        cut = true;
        batch.add(["cut", id]);
      },
    });
    try {
      if (!holdings.hold("unanswered", request.bytes + REQUEST_COST)) return;
      const { status, headers, body } = await service.handle(request, new FrontCall(keys, message[7]));
      if (!cut) batch.add(["reply", id, status, joinHeaders(headers), body]);
    } catch (error) {
      batch.add(["threw", id, errorName(error)]);
    } finally {
      holdings.end();
    }
  }

  async admit(message: MessageOf<"admit">): Promise<void> {
    const { sockets, batch } = this.#parts;
    const id = message[1];
    try {
      const refused = await sockets?.admit(new FrontRequest(message));
      if (refused === undefined) return batch.add(["admitted", id]);
      batch.add(["reply", id, refused.status, joinHeaders(refused.headers), refused.body]);
    } catch (error) {
      batch.add(["threw", id, errorName(error)]);
    }
  }
}
