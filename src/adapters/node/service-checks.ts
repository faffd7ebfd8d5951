import { type OptionCheck, portOption } from "../../common/index.ts";
import type { Service, SocketService } from "../../service/index.ts";

/** Checks a service. */
export const serviceOption: OptionCheck = portOption<Pick<Service, "handle" | "reportTo">>(
  "Service (managed-orders/service)",
  { handle: "required", reportTo: "optional" },
);

/** Checks the WebSocket interface of a service. */
export const socketsOption: OptionCheck = portOption<SocketService>(
  "SocketService (`service.sockets`, managed-orders/service)",
  { admit: "required", connect: "required", shutdown: "required" },
);
