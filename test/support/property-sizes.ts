import { configureGlobal } from "fast-check";

// Without this a collection that may have 200 entries gets at most about ten.
configureGlobal({ defaultSizeToMaxWhenMaxSpecified: true });
