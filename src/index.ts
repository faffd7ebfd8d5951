/**
 * The pure core of managed orders: validation, trigger math, lifecycle. It has no I/O, no clock and no Node built-ins.
 * The same code runs on server and client.
 *
 * @packageDocumentation
 */
export * from "./decimal/index.ts";
export * from "./errors/index.ts";
export * from "./lifecycle/index.ts";
export * from "./model/index.ts";
export * from "./requests/index.ts";
export * from "./schedules/index.ts";
export * from "./triggers/index.ts";
export * from "./wire/index.ts";
