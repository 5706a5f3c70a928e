import type { Environment } from '../../../agent/variables.ts'

/** What a service runs. */
export interface ServiceSpec {
  /** The program and its arguments, with absolute paths. */
  argv: readonly string[]
  /** The folder it runs in. Default the home of the user it runs as, where the manager can tell it. */
  folder?: string
  /** Where it finds programs. */
  path: string
  /** A file with further variables, such as keys, which may be missing. */
  environmentFile: string
  /** For the whole machine instead of one user: the user it runs as. */
  runAs?: string
}

/** What keeps a service running on this system. */
export interface ServiceManager {
  title: string
  /** The file that describes the service. */
  file: string
  /** Its content. The first lines contain {@link MARK}. */
  textFor(spec: ServiceSpec): string
  /** Commands that start it now and at each boot or login. */
  start: readonly (readonly [string, ...string[]])[]
  /** Commands that stop it for good, before the file is deleted. */
  stop: readonly (readonly [string, ...string[]])[]
  /** Commands after the file is deleted. */
  forget: readonly (readonly [string, ...string[]])[]
  /** A command that exits with 0 while it runs. */
  isRunning: readonly [string, ...string[]]
  /** Where its log is. */
  log: string
  /** What else the user may want to know. */
  hint?: string
}

/** Says that a file is ours to replace and delete. */
export const MARK = 'Written by "mulligan service install"'

/** Where managers look for what they need. */
export interface ManagerPlace {
  env: Environment
  /** For the whole machine instead of one user. */
  system: boolean
}
