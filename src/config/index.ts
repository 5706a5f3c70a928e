export { ConfigError } from './error.ts'
export type { TrustedConfig } from './loaded.ts'
export type { Config } from './schema/config.ts'
export { ConfigSource } from './source.ts'
