import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { MEANING, type MeaningfulError, type OwnMeaning } from '../failure/own-error.ts'
import { SECRET_KEY_VARIABLE } from '../process/environment.ts'

/** The config refers to a value that is missing when it is needed. */
export class MissingReference extends Error implements MeaningfulError {
  override name = 'MissingReference'
  readonly code = 'MISSING_REFERENCE'
  /** As written: `env:NAME` or `file:PATH`. */
  readonly reference: string

  constructor(reference: string, where: string | undefined, problem: string) {
    super(`${where === undefined ? '' : `${where}: `}${reference}: ${problem}`)
    this.reference = reference
  }

  get [MEANING](): OwnMeaning {
    return { kind: 'config', status: 409, code: 'missing_reference' }
  }
}

/** Options for resolving a reference. */
export interface ResolveOptions {
  /** Default: this process's environment. */
  env?: Record<string, string | undefined>
}

/** Throws if the reference's config is not trusted: see `LoadedConfig`. */
export type Guard = () => void

const allowed: Guard = () => {}

/** `env:NAME` in a config. Looked up when needed, so the value is never stored or printed. */
export class EnvReference {
  /** Name of the variable. */
  readonly variable: string
  /** Where it is written, as `file:line:column`. */
  readonly where: string | undefined
  readonly #guard: Guard

  constructor(variable: string, where?: string, guard: Guard = allowed) {
    this.variable = variable
    this.where = where
    this.#guard = guard
  }

  /** Whether the variable is set and not empty. */
  isSet({ env = process.env }: ResolveOptions = {}): boolean {
    return (env[this.variable] ?? '') !== ''
  }

  /** The value. Throws {@link MissingReference} with the variable and the place; an empty value counts as missing. */
  resolve({ env = process.env }: ResolveOptions = {}): string {
    this.#guard()
    if (this.variable === SECRET_KEY_VARIABLE)
      throw new MissingReference(`${this}`, this.where, 'this variable is never passed on')
    const value = env[this.variable] ?? ''
    if (value === '')
      throw new MissingReference(`${this}`, this.where, "this variable is not set in mulligan's environment")
    return value
  }

  /** As written, never the value. */
  toString(): string {
    return `env:${this.variable}`
  }

  /** As written, never the value. */
  toJSON(): string {
    return this.toString()
  }
}

/** `file:PATH` in a config, relative to the config's folder: a CLI's own login, or a key file. Read when needed. */
export class FileReference {
  /** As written. */
  readonly path: string
  /** Where it is written, as `file:line:column`. */
  readonly where: string | undefined
  readonly #base: string
  readonly #guard: Guard

  constructor(path: string, where?: string, base = '.', guard: Guard = allowed) {
    this.path = path
    this.where = where
    this.#base = base
    this.#guard = guard
  }

  /** The absolute path; `~` is the home folder of the environment. */
  fileOf({ env = process.env }: ResolveOptions = {}): string {
    if (this.path.startsWith('~/')) return join(env.HOME ?? homedir(), this.path.slice(2))
    return isAbsolute(this.path) ? this.path : join(this.#base, this.path)
  }

  /** Whether the file can be read. */
  isSet(options?: ResolveOptions): boolean {
    return this.#read(options) !== undefined
  }

  /** The text of the file. Throws {@link MissingReference}. */
  resolve(options?: ResolveOptions): string {
    this.#guard()
    const text = this.#read(options)
    if (text === undefined) throw new MissingReference(`${this}`, this.where, 'cannot read this file')
    return text
  }

  /** As written, never the text. */
  toString(): string {
    return `file:${this.path}`
  }

  /** As written, never the text. */
  toJSON(): string {
    return this.toString()
  }

  #read(options?: ResolveOptions): string | undefined {
    try {
      return readFileSync(this.fileOf(options), 'utf8')
    } catch {
      return undefined
    }
  }
}

/** Whether a config value is a reference. */
export function isReference(value: unknown): value is EnvReference | FileReference {
  return value instanceof EnvReference || value instanceof FileReference
}

/** A config string, or a reference to a variable. */
export type Text = string | EnvReference

/** The string itself. Throws {@link MissingReference} if it refers to a variable that is not set. */
export function resolveText(text: Text, options?: ResolveOptions): string {
  return typeof text === 'string' ? text : text.resolve(options)
}

/** Strings by name, resolved, for the environment of a child process or for headers. */
export function resolveTexts(
  texts: Readonly<Record<string, Text>>,
  options?: ResolveOptions,
): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, resolveText(text, options)]))
}

/** A reference with its position, for messages and for paths relative to the config. */
export function located(
  reference: EnvReference | FileReference,
  where: string | undefined,
  file: string | undefined,
  guard?: Guard,
): EnvReference | FileReference {
  return reference instanceof EnvReference
    ? new EnvReference(reference.variable, where, guard)
    : new FileReference(reference.path, where, file === undefined ? '.' : dirname(file), guard)
}
