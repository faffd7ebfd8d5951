import {
  openConnection,
  type RawAnswer,
  type RawRequest,
  rawBytes,
} from "../../src/conformance/mount/raw-http.ts";

export {
  openConnection,
  type RawAnswer,
  type RawConnection,
  type RawRequest,
  rawBytes,
} from "../../src/conformance/mount/raw-http.ts";

/** Sends one request on a separate connection and reads the answer. */
export async function sendRaw(port: number, request: RawRequest): Promise<RawAnswer> {
  const connection = await openConnection(port);
  try {
    connection.write(rawBytes(request));
    return await connection.answer();
  } finally {
    connection.close();
  }
}
