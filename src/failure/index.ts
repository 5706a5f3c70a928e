export type { Classifier, ClassifierAnswer, ClassifierQuestion } from './classifier.ts'
export { classify, throttleHint } from './classify.ts'
export type { ClassifyContext } from './context.ts'
export {
  type Effect,
  type Evidence,
  type Failure,
  type FailureClass,
  type FailureKind,
  KINDS,
} from './failure.ts'
export { type FailureJson, failureFromJson, failureToJson } from './json.ts'
export type { FailureLabel } from './label.ts'
export {
  classifyLines,
  type Signature,
  type SignatureMatch,
  Signatures,
  unknownDedupeKey,
} from './signature.ts'
export { SignatureCompileError } from './signature-error.ts'
export { buildSignatureMap } from './signature-map.ts'
