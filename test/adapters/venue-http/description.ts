import type { CodecSchema } from "../../../src/adapters/venue-http/codec.ts";
import { REFUSALS } from "../../../src/adapters/venue-http/messages.ts";
import { PROTOCOL, STREAMS, VENUE_ROUTES } from "../../../src/adapters/venue-http/routes.ts";

const headers = ["x-venue-time", "x-venue-signature"].map((name) => ({
  ...{ name, in: "header", required: true, schema: { type: "string" } },
}));

const answerOf = (schema: CodecSchema): object => ({
  description: "The answer.",
  content: { "application/json": { schema } },
});

const refusals = (): object => {
  const statuses = [...new Set(Object.values(REFUSALS).map(([status]) => status))];
  const textOf = (wanted: number): string =>
    Object.entries(REFUSALS)
      .filter(([, [status]]) => status === wanted)
      .map(([code, [, text]]) => `${code}: ${text}`)
      .join(" ");
  return Object.fromEntries(statuses.map((status) => [String(status), { description: textOf(status) }]));
};

/** Returns the protocol as OpenAPI 3.1, made of the tables by which both halves read and write. */
export function openApiOfProtocol(): object {
  const calls = Object.values(VENUE_ROUTES).map(({ method, path, summary, request, answer }) => [
    path,
    {
      [method.toLowerCase()]: {
        ...{ summary, parameters: headers },
        ...(method === "POST" && {
          requestBody: { required: true, content: { "application/json": { schema: request.schema } } },
        }),
        responses: { "200": answerOf(answer.schema), ...refusals() },
      },
    },
  ]);
  const query = (name: string, type: string): object => ({ name, in: "query", schema: { type } });
  const streams = Object.values(STREAMS).map(({ path, summary }) => [
    path,
    {
      get: {
        summary,
        parameters: [...headers, query("stream", "string"), query("after", "integer")],
        responses: {
          "200": { description: "Lines of JSON.", content: { "application/x-ndjson": {} } },
          ...refusals(),
        },
      },
    },
  ]);
  return {
    openapi: "3.1.1",
    info: {
      title: "A venue over HTTP",
      version: String(PROTOCOL),
      description: "The protocol of docs/venue-http.md, which says what these schemas cannot.",
    },
    paths: Object.fromEntries([...calls, ...streams]),
  };
}
