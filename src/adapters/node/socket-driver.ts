import { createRequire } from "node:module";
import type * as ws from "ws";

/** The exports of the package ws. */
export type SocketDriver = typeof ws;

/**
 * Loads ws, an optional peer dependency. Throws an Error that names the install command if it is missing or cannot be
 * used.
 */
export function loadSocketDriver(load: (name: string) => unknown = requireHere()): SocketDriver {
  try {
    return load("ws") as SocketDriver;
  } catch (cause) {
    throw new Error(
      "WebSocket connections need the package ws, which cannot be loaded. Install it: npm install ws@8",
      { cause },
    );
  }
}

/** The built package also contains this file as CommonJS, which has no `import.meta`. */
function requireHere(): (name: string) => unknown {
  return createRequire(typeof __filename === "string" ? __filename : import.meta.url);
}
