import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const BUILT = fileURLToPath(new URL('../../.built', import.meta.url))

/** The package as published, built once before each test run. */
export const BUILT_PACKAGE = join(BUILT, 'package')

/** Its command. */
export const BUILT_PACKAGE_COMMAND = join(BUILT_PACKAGE, 'bin', 'mulligan.js')

/** The command for tests, bundled to load fast: loading the sources takes most of a second. */
export const BUILT_COMMAND = join(BUILT, 'command', 'dist', 'mulligan.js')

/** The module that lets a test move the command's time; loaded with `node --import`. */
export const BUILT_CLOCK = join(BUILT, 'command', 'dist', 'clock.js')

/** The module that capability modules of tests import from. */
export const BUILT_FOR_MODULES = join(BUILT, 'command', 'dist', 'modules.js')

/** The program that runs every command in one process. */
export const BUILT_EVERY_COMMAND = join(BUILT, 'command', 'dist', 'every-command.js')
