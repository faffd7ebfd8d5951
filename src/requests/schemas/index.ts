/**
 * The JSON Schemas of requests, apart from the rest: who checks orders in a browser does not load them.
 *
 * @packageDocumentation
 */
export { AUTHENTICATION_SCHEMAS, type JsonSchema, type RequestSchema } from "./json-schema.ts";
export { requestSchema } from "./json-schema-requests.ts";
