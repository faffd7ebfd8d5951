import { testStorage } from "../../../src/conformance/index.ts";
import { storageRules } from "../../../src/conformance/storage/storage.ts";
import { testPlantedFaults } from "../../support/planted-faults.ts";
import { faults, storageSubject } from "./faults.ts";

const none = () => ({});

testPlantedFaults("storage", {
  declare: testStorage,
  groups: storageRules,
  sound: [
    storageSubject("durable and shared", none, { durable: true, shared: true }),
    storageSubject("neither durable nor shared", none, { durable: false, shared: false }),
  ],
  faults,
});
