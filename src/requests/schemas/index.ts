/**
 * The JSON Schemas of requests. They are a separate module, so that a browser bundle that only checks orders does not
 * load them.
 *
 * @packageDocumentation
 */
export { AUTHENTICATION_SCHEMAS, type JsonSchema, type RequestSchema } from "./json-schema.ts";
export { requestSchema, routeSchema } from "./json-schema-requests.ts";
