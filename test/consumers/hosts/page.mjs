/** Runs the script of a page with the globals of browsers and nothing of Node.js: `page.mjs SCRIPT`. */
import { readFileSync } from "node:fs";
import vm from "node:vm";

const globals = {
  ...{ fetch, WebSocket, Headers, Request, Response, AbortController, AbortSignal, Event, EventTarget },
  ...{ URL, URLSearchParams, TextEncoder, TextDecoder, crypto, performance, structuredClone, queueMicrotask },
  ...{ setTimeout, clearTimeout, setInterval, clearInterval, console },
  // The little that the script of a bundler asks of a document.
  document: { createElement: () => ({ relList: { supports: () => true } }) },
};
const context = vm.createContext(globals);
context.self = context.window = vm.runInContext("globalThis", context);

const script = new vm.SourceTextModule(readFileSync(process.argv[2], "utf8"), { context });
await script.link((name) => {
  throw new Error(`the bundle imports ${name}`);
});
await script.evaluate();
console.log(JSON.stringify(await context.steps));
