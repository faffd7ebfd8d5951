import { createServer, request } from "node:http";

/**
 * Opens a proxy in front of a server that notes every request as it came: method, target, content type and body. It is
 * how the requests in requests.json were made.
 */
export async function openRecorder(url, note) {
  const proxy = createServer(async (incoming, outgoing) => {
    const parts = [];
    for await (const part of incoming) parts.push(part);
    const body = Buffer.concat(parts);
    const { method, url: target, headers } = incoming;
    note({
      method,
      target,
      ...(headers["content-type"] !== undefined && { type: headers["content-type"] }),
      ...(headers["x-mbx-apikey"] !== undefined && { key: true }),
      ...(body.length > 0 && { body: body.toString() }),
    });
    const { host: _host, ...rest } = headers;
    const passed = request(new URL(url).origin + target, { method, headers: rest }, (reply) => {
      outgoing.writeHead(reply.statusCode, reply.headers);
      reply.pipe(outgoing);
    });
    passed.end(body);
  });
  await new Promise((listening) => proxy.listen(0, "127.0.0.1", listening));
  return { url: `http://127.0.0.1:${proxy.address().port}`, close: () => proxy.close() };
}
