import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const BUILT = fileURLToPath(new URL('../../.built', import.meta.url))

/** The package as users have it, built once before each run. */
export const BUILT_PACKAGE = join(BUILT, 'package')

/** The command of it. */
export const BUILT_PACKAGE_COMMAND = join(BUILT_PACKAGE, 'bin', 'mulligan.js')

/** The command as tests start it, in a form that loads fast: loading the sources takes most of a second. */
export const BUILT_COMMAND = join(BUILT, 'command', 'dist', 'mulligan.js')

/** Loaded before the command (`node --import`), it lets a test move its time. */
export const BUILT_CLOCK = join(BUILT, 'command', 'dist', 'clock.js')

/** What modules of capabilities import that the command loads. */
export const BUILT_FOR_MODULES = join(BUILT, 'command', 'dist', 'modules.js')
