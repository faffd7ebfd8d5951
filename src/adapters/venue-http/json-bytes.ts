import { type JsonValue, readJson } from "../../wire/index.ts";

/** Returns the text of bytes in UTF-8. Throws a TypeError for other bytes. */
export const utf8In = (bytes: Uint8Array): string => new TextDecoder("utf-8", { fatal: true }).decode(bytes);

/** Returns the value of JSON in UTF-8. Throws an Error for other bytes. */
export const jsonIn = (bytes: Uint8Array): JsonValue => readJson(utf8In(bytes));
