export { Backtest, type BacktestReport } from './backtest.ts'
export { collectUnknowns } from './collect.ts'
export { LabelError, type LabelErrorCode } from './label-error.ts'
export { type Proposal, proposeSignature } from './propose.ts'
export {
  type ImportOptions,
  type Teaching,
  type TeachingPreview,
  type UnknownDetails,
  Unknowns,
} from './unknowns.ts'
