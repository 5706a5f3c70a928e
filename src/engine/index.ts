export { EmbeddedEngine } from './embedded/embedded-engine.ts'
export type { Claims, Engine } from './engine.ts'
