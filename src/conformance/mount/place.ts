import {
  flagOption,
  functionOption,
  nameOption,
  numberOption,
  type OptionCheck,
  optionalOption,
  optionsOf,
  wholeOption,
} from "../../common/index.ts";
import type { Awaitable } from "../../ports/index.ts";
import type { Service } from "../../service/index.ts";

/** A server that listens, with the service mounted. */
export interface OpenMount {
  /** The port on which it listens at 127.0.0.1. */
  readonly port: number;
  /**
   * Ends the server. With `drains`, it answers the requests under way first, and cuts them off after `graceMs`
   * milliseconds if that is given. Resolves when the server has ended.
   */
  close(options?: Readonly<{ graceMs?: number }>): Awaitable<void>;
}

/** The optional parts of a mount, each declared as present or absent. */
export interface MountSupport {
  /** Whether it takes WebSockets. */
  readonly sockets: boolean;
  /** Whether the server has routes of its own besides those of the service. */
  readonly ownRoutes: boolean;
  /** Whether closing waits for the answers to requests under way. */
  readonly drains: boolean;
}

/** A mount of the service as its author describes it to the suite. */
export interface MountSubject {
  /** The name of the mount in the report. */
  readonly name: string;
  /** Its optional parts. What is declared as absent is tested to be absent. */
  readonly supports: MountSupport;
  /** The longest wait for an answer in milliseconds; default 5000. */
  readonly waitMs?: number;
  /** Starts a server with this service mounted. The suite calls it once per test, and closes the server at the end. */
  open(service: Service): Awaitable<OpenMount>;
}

/** Checks a mount that is handed to the suite. */
export const mountSubject: OptionCheck = /* @__PURE__ */ optionsOf<MountSubject>({
  name: nameOption,
  supports: optionsOf<MountSupport>({ sockets: flagOption, ownRoutes: flagOption, drains: flagOption }),
  waitMs: optionalOption(numberOption({ from: 1 }, "ms")),
  open: functionOption("starts a server with the service mounted"),
});

/** Checks a server that `open` returned. */
export const openMountCheck: OptionCheck = /* @__PURE__ */ optionsOf<OpenMount>(
  { port: wholeOption({ from: 1, to: 65_535 }), close: functionOption("ends the server") },
  { open: true },
);
