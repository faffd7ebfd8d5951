import { describe, expect, it } from "vitest";
import { loadDriver } from "../../../src/adapters/sqlite/driver.ts";

const sentence =
  "The SQLite store needs the package better-sqlite3, which cannot be loaded. Install it: npm install better-sqlite3@12";

describe("sqlite driver", () => {
  it("a missing driver is reported in one sentence with the install command", () => {
    const missing = () => {
      throw new Error("Cannot find module 'better-sqlite3'");
    };
    expect(() => loadDriver(missing)).toThrow(new Error(sentence));
  });

  it("a driver whose native part does not load is reported in the same way", () => {
    const unbuilt = () =>
      function Database() {
        throw new Error("Could not locate the bindings file");
      };
    expect(() => loadDriver(unbuilt)).toThrow(new Error(sentence));
  });
});
