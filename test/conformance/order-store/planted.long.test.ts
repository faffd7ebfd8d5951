import { testOrderStore } from "../../store/rules/index.ts";
import { orderStoreRules } from "../../store/rules/order-store.ts";
import { testPlantedFaults } from "../../support/planted-faults.ts";
import { assignmentFaults } from "./assignment-faults.ts";
import { endedFaults } from "./ended-faults.ts";
import { memorySubject } from "./faulty-place.ts";
import { forgettingFaults } from "./forgetting-faults.ts";
import { journalFaults } from "./journal-faults.ts";
import { leaseFaults } from "./lease-faults.ts";
import { printFaults } from "./print-faults.ts";
import { snapshotAndMarketFaults } from "./snapshot-faults.ts";
import { volumeFaults } from "./volume-faults.ts";

const poor = memorySubject(
  "a store without the optional parts",
  () => (store) => ({
    leases: undefined as never,
    pageEndedNames: undefined as never,
    pruneEnded: undefined as never,
    async readVolume() {
      const { priceBars: _priceBars, ...volume } = await store.readVolume();
      return volume;
    },
    writeSnapshot: (snapshot) => store.writeSnapshot(snapshot),
    readSnapshot: (shard) => store.readSnapshot(shard),
    deleteVolume: (cutoff) => store.deleteVolume(cutoff),
  }),
  { leases: false, pageEndedNames: false, priceBars: false, progress: false, pruneEnded: false },
);

testPlantedFaults("order store", {
  declare: testOrderStore,
  groups: orderStoreRules,
  sound: [poor],
  faults: [
    ...journalFaults,
    ...snapshotAndMarketFaults,
    ...endedFaults,
    ...forgettingFaults,
    ...volumeFaults,
    ...leaseFaults,
    ...assignmentFaults,
    ...printFaults,
  ],
});
