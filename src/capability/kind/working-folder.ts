import { realpathSync } from 'node:fs'
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import { ParamsError } from '../error.ts'
import { fill, paramsIn, type Template, type Values } from '../template.ts'

/**
 * The working folder. Parameters choose a folder below the fixed part of the template before them, and cannot leave it: not by
 * `..`, an absolute path, or symbolic links.
 */
export class WorkingFolder {
  readonly #template: Template
  readonly #base: string | undefined

  /** @param base what relative paths start from; undefined for the process's folder */
  constructor(template: Template, base: string | undefined) {
    this.#template = template
    this.#base = base
  }

  /** What is wrong with parameters, as far as it can be seen without the disk. */
  problem(params: unknown): string | undefined {
    const [name] = paramsIn(this.#template)
    // What depends on the runner's environment is checked by the runner.
    if (name === undefined || this.#template.parts.some(part => 'variable' in part)) return undefined
    const values = { params, env: {} }
    const folder = fill(this.#template, values)
    if (folder === undefined) return undefined
    if (folder.includes('\0')) return `${name}: contains a NUL character`
    return isWithin(this.#root(values), this.#resolved(folder)) ? undefined : this.#leavesRoot(name, values)
  }

  /** The folder, without symbolic links; undefined if one of its parameters is missing. Throws a ParamsError. */
  folder(values: Values): string | undefined {
    const filled = fill(this.#template, values)
    if (filled === undefined) return undefined
    const folder = this.#resolved(filled)
    const [name] = paramsIn(this.#template)
    if (name === undefined) return folder
    const real = realpathOf(folder)
    const root = realpathOf(this.#root(values))
    // A missing folder is reported by the program started in it.
    if (real === undefined && isWithin(this.#root(values), folder)) return folder
    if (real === undefined || root === undefined || !isWithin(root, real))
      throw new ParamsError(this.#leavesRoot(name, values))
    return real
  }

  #leavesRoot(name: string, values: Values): string {
    return `${name}: cwd must stay within ${this.#root(values)}`
  }

  /** Everything before the first parameter, up to the last complete folder name. */
  #root(values: Values): string {
    const first = this.#template.parts.findIndex(part => 'param' in part)
    const before = fill({ source: '', parts: this.#template.parts.slice(0, first) }, values) ?? ''
    const folder = before.endsWith('/') || before === '' ? before : dirname(before)
    return this.#resolved(folder === '' ? '.' : folder)
  }

  #resolved(path: string): string {
    return isAbsolute(path) ? resolve(path) : resolve(this.#base ?? process.cwd(), path)
  }
}

function isWithin(root: string, folder: string): boolean {
  const way = relative(root, folder)
  return way === '' || !(way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way))
}

function realpathOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}
