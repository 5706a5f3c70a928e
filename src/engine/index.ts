export { EmbeddedEngine, type EmbeddedEngineOptions } from './embedded/embedded-engine.ts'
export type { ClaimedRun, ClaimRequest, Claims, Engine, Pausable } from './engine.ts'
