import { expect, it } from "vitest";
import { ERRORS, InvariantError, invariant, OrderError } from "../../src/errors/index.ts";

it("the body has code, msg and error, and the text names the field", () => {
  const error = new OrderError("PRECISION", { field: "quantity", decimals: 6 });
  expect(error.toBody()).toEqual({
    code: -1111,
    msg: "Parameter 'quantity' has too much precision.",
    error: "Parameter 'quantity' has too much precision. Send 'quantity' with at most 6 decimals.",
  });
  expect([error.msg, error.message]).toEqual([error.toBody().msg, error.toBody().error]);
  expect([error.code, error.status, error.retry, error.field]).toEqual([-1111, 400, "never", "quantity"]);
});

it("a placeholder without a value is left empty, and a value is never expanded as a template", () => {
  expect(new OrderError("PARAMETER_MISSING").msg).toBe(
    "Mandatory parameter '' was not sent, was empty/null, or malformed.",
  );
  expect(new OrderError("PARAMETER_MISSING", { field: "{other}", other: "x" }).msg).toContain("'{other}'");
});

it("contract, Errors: every row has a negative number, a 4xx or 5xx status and a sentence", () => {
  for (const [name, row] of Object.entries(ERRORS)) {
    expect(row.code, name).toBeLessThan(0);
    expect(row.status, name).toBeGreaterThanOrEqual(400);
    // The venue supplies the text of its own refusals.
    expect(row.text === "{text}" || row.text.length > 10, name).toBe(true);
    expect(Object.isFrozen(row), name).toBe(true);
  }
});

it("contract, Errors: errors with an uncertain outcome say so", () => {
  for (const row of Object.values(ERRORS)) {
    expect(row.retry === "reconcile").toBe(row.code === -1006 || (row.code === -1007 && row.status === 504));
  }
});

it("a broken invariant names its id", () => {
  expect(() => invariant(true, "I01", "fine")).not.toThrow();
  expect(() => invariant(false, "I24", "two children")).toThrow(new InvariantError("I24", "two children"));
});
