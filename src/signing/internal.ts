/** Exports of the folder to other folders of this package. They are not part of the package's interface. */
export { checkFreshness, checkNonce } from "./freshness.ts";
export { replayGuardOption } from "./replay-guard.ts";
export { type RestSignature, refuseSignatureParameter, restSignature } from "./rest-signature.ts";
export { socketSignature, verifySocketSignature } from "./socket-signature.ts";
