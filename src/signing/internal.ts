/** Exports of the folder to other folders of this package. They are not part of the package's interface. */
export { checkFreshness, checkNonce, replayGuardOption } from "./replay-guard.ts";
export { type RestSignature, refuseSignatureParameter, restSignature } from "./rest-signature.ts";
export { socketSignature, verifySocketSignature } from "./signed-request.ts";
