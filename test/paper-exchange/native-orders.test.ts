import { describe, it } from "vitest";
import { testNativeOrders } from "../../src/conformance/index.ts";
import { paperNative } from "../support/paper-native.ts";

testNativeOrders({ describe, it }, paperNative);
