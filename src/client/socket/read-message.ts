import { type Reader, WrongType } from "../../replies/index.ts";
import { ProtocolError } from "../errors/protocol-error.ts";

/** HTTP status of an upgraded connection. */
export const SWITCHING = 101;

/** Reads a message of a WebSocket. Throws a ProtocolError that names the first member of another type. */
export function readMessage<T>(read: Reader<T>, message: unknown): T {
  try {
    return read(message, "");
  } catch (error) {
    if (!(error instanceof WrongType)) throw error;
    throw new ProtocolError({ problem: "wrong type", status: SWITCHING, member: error.message });
  }
}
