/**
 * Runs the bundle of an app with the globals of React Native: `app.mjs BUNDLE ACCESS`. There is no TextDecoder, no Buffer, no
 * module of Node.js, and the replies of fetch have no streams. Everything else is the language.
 */
import { readFileSync } from "node:fs";
import vm from "node:vm";

const fetchAll = async (url, request) => {
  const reply = await fetch(url, request);
  return { status: reply.status, headers: reply.headers, text: () => reply.text() };
};

const context = vm.createContext({
  ...{ fetch: fetchAll, WebSocket, AbortController, TextEncoder, performance, console },
  ...{ setTimeout, clearTimeout, setInterval, clearInterval },
});
const [, , bundle, access] = process.argv;
vm.runInContext(readFileSync(bundle, "utf8"), context);
console.log(JSON.stringify(await context.program({ ...JSON.parse(access), fetch: fetchAll })));
