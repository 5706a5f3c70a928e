export { CONFIG_NAME, type Discovery, discoverConfig } from './discover.ts'
export { ConfigError } from './error.ts'
export { loadSignatures, readSignatures } from './signatures.ts'
