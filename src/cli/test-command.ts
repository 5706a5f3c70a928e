import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The package as users have it: built once before each run, because loading the sources takes most of a second. */
export const BUILT_PACKAGE = fileURLToPath(new URL('../../.built', import.meta.url))

/** The command of it, as tests start it. */
export const BUILT_COMMAND = join(BUILT_PACKAGE, 'dist', 'mulligan.js')
