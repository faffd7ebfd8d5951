import { describe, expect, it } from "vitest";
import { CLIENT_ROUTES } from "../../src/client/routes.ts";
import { ROUTES } from "../../src/requests/index.ts";

/** Routes under another prefix serve other clients. */
const OWN = ROUTES.filter(({ path }) => !path.startsWith("/compat/"));

describe("the table of the client's routes", () => {
  it("calls every operation of the service by one of its routes, with its access and signing", () => {
    const called = Object.values(CLIENT_ROUTES).map((route) => {
      const served = OWN.find(({ method, path }) => method === route.verb && path === route.path);
      expect({ path: route.path, access: served?.access, scheme: served?.scheme }).toEqual({
        ...{ path: route.path, access: route.access, scheme: route.scheme },
      });
      return served?.name;
    });
    expect(new Set(called)).toEqual(new Set(OWN.map(({ name }) => name)));
  });
});
