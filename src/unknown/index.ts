export { Backtest, type BacktestCase, type BacktestChange, type BacktestReport } from './backtest.ts'
export type { BacktestBounds } from './bounded-backtest.ts'
export { collectUnknowns } from './collect.ts'
export { LabelError, type LabelErrorCode } from './label-error.ts'
export { type Proposal, proposeSignature, type SampleText } from './propose.ts'
export type { Near } from './similarity.ts'
export {
  type ImportOptions,
  type Teaching,
  type TeachingPreview,
  type UnknownDetails,
  Unknowns,
} from './unknowns.ts'
