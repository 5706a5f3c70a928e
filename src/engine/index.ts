export { EmbeddedEngine, type EmbeddedEngineOptions } from './embedded/embedded-engine.ts'
export {
  type Begun,
  type ClaimedRun,
  type ClaimRequest,
  type Claims,
  type Engine,
  LEASE_DEFAULT_MS,
  LEAVE_FOR_MS,
  type Pausable,
  type Pauses,
  type Renewal,
  type Tended,
  type TendOptions,
} from './engine.ts'
export { type Interruption, Runner, type RunnerOptions, type Work } from './runner.ts'
