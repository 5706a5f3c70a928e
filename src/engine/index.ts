export { ClaimLoop, type ClaimLoopOptions, type Interruption, type Work } from './claim-loop.ts'
export { EmbeddedEngine, type EmbeddedEngineOptions } from './embedded/embedded-engine.ts'
export {
  type Begun,
  type ClaimedRun,
  type ClaimRequest,
  type Claims,
  type Engine,
  LEASE_DEFAULT_MS,
  type Maintained,
  type MaintainOptions,
  type Pausable,
  type Pauses,
  type Renewal,
  SKIP_FOR_MS,
} from './engine.ts'
