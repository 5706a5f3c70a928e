export { collectUnknowns } from './collect.ts'
export { LabelError } from './label-error.ts'
export { proposeSignature } from './propose.ts'
export { type UnknownDetails, Unknowns } from './unknowns.ts'
