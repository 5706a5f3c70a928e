export { EmbeddedEngine } from './embedded/embedded-engine.ts'
export type { Engine } from './engine.ts'
