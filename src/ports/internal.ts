/** Exports of the folder to other folders of this package. They are not part of the package's interface. */
export {
  accountEventsOption,
  accountsOption,
  balancesOption,
  clockOption,
  entropyOption,
  exposureOption,
  instrumentsOption,
  marketDataOption,
  nativeOrdersOption,
  operatorLeasesOption,
  rateLimiterOption,
  rejectionsOption,
  storeOption,
  telemetryOption,
  venueOption,
  volumeHistoryOption,
} from "./port-checks.ts";
