import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, it, onTestFinished } from "vitest";
import { KEY, type SandboxProcess, SECRET, startSandboxProcess } from "../support/sandbox-process.ts";

async function start(): Promise<SandboxProcess> {
  const sandbox = await startSandboxProcess({ STORE: "memory:", MARKET: "manual" });
  onTestFinished(() => sandbox.kill());
  return sandbox;
}

/** The version that the contract names. It is that of the interface, and not of the package. */
const info = { version: "0.1.0" };

it("contract, Versioning: the sandbox serves its descriptions, of version 0.1.0, with its own addresses and without secrets", async () => {
  const { url, wsUrl } = await start();
  const [openApi, asyncApi] = await Promise.all(
    ["/openapi.json", "/asyncapi.json"].map(async (path) => {
      const reply = await fetch(`${url}${path}`);
      expect(reply.status).toBe(200);
      expect(reply.headers.get("content-type")).toBe("application/json; charset=utf-8");
      expect(Number(reply.headers.get("x-mbx-used-weight")) % 20).toBe(0);
      const text = await reply.text();
      expect(text).not.toContain(KEY);
      expect(text).not.toContain(SECRET);
      return JSON.parse(text);
    }),
  );
  expect(openApi).toMatchObject({ openapi: "3.1.1", info, servers: [{ url }] });
  expect((await new Validator().validate(structuredClone(openApi))).valid).toBe(true);
  const { host } = new URL(wsUrl);
  expect(asyncApi).toMatchObject({ asyncapi: "3.0.0", info, servers: { service: { host, protocol: "ws" } } });
});

it("a route of the description answers, and besides the two paths only the service is served", async () => {
  const { url } = await start();
  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: object };
  expect(Object.keys(paths)).toContain("/api/time");
  expect((await fetch(`${url}/api/time`)).status).toBe(200);
  for (const [method, path] of [
    ["POST", "/openapi.json"],
    ["GET", "/openapi.json?a=b"],
    ["GET", "/openapi"],
    ["GET", "/api/openapi.json"],
  ] as const) {
    const reply = await fetch(`${url}${path}`, { method });
    const { code } = (await reply.json()) as { code: number };
    expect([reply.status, code], `${method} ${path}`).toEqual([404, -1099]);
  }
});
