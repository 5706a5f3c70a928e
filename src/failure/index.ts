export type { Classifier, ClassifierAnswer, ClassifierProblem, ClassifierQuestion } from './classifier.ts'
export { classify, classifyKnown, throttleHint } from './classify.ts'
export type { ClassifyContext, RailKind } from './context.ts'
export { whyOfRule } from './explain.ts'
export {
  classOfKind,
  type Effect,
  type Evidence,
  type Failure,
  type FailureClass,
  type FailureKind,
  isFailureClass,
  isFailureKind,
  KINDS,
  type RefusalScope,
} from './failure.ts'
export { type FailureJson, failureFromJson, failureToJson } from './json.ts'
export { MEANING, type MeaningfulError, meaningOf, type OwnMeaning, WrongArgument } from './own-error.ts'
export { isRedacted, REDACTED, redact } from './redact.ts'
export { hideKnown, hideKnownIn } from './secret/hide.ts'
export { hiddenValues, hideFromNowOn } from './secret/known.ts'
export { isSessionId } from './session-id.ts'
export {
  buildSignatureMap,
  classifyLines,
  matchSignatures,
  type SignatureAnswer,
  SignatureCompileError,
  type SignatureLists,
  type SignatureMap,
  type SignatureMatch,
  Signatures,
  unknownDedupeKey,
} from './signature.ts'
