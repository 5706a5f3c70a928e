import { fileURLToPath } from 'node:url'

/** The command as tests start it: bundled once before each run, because loading the sources takes most of a second. */
export const BUILT_COMMAND = fileURLToPath(new URL('../../.built/mulligan.js', import.meta.url))
