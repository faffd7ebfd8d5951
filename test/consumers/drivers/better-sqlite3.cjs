/**
 * Preloaded with `--require`: in this process and in those that it starts, better-sqlite3 is the package in the folder
 * BETTER_SQLITE3, or missing if that is empty.
 */
const Module = require("node:module");
const { join } = require("node:path");

const folder = process.env.BETTER_SQLITE3;
const resolve = Module._resolveFilename;
Module._resolveFilename = function elsewhere(request, ...rest) {
  const [name, ...path] = request.split("/");
  if (name !== "better-sqlite3") return resolve.call(this, request, ...rest);
  if (folder === "") throw new Error("Cannot find module 'better-sqlite3'");
  return resolve.call(this, join(folder, ...path), ...rest);
};
