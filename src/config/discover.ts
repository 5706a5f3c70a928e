import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

/** Name of a config file. */
export const CONFIG_NAME = 'mulligan.toml'

/** Where to look for a config. */
export interface Discovery {
  /** Given by `--config`; takes precedence over everything. */
  flag?: string | undefined
  /** The environment: `MULLIGAN_CONFIG`, `XDG_CONFIG_HOME` and `HOME` are read. */
  env: Record<string, string | undefined>
  /** The folder to search from, upward. */
  cwd: string
}

/** How a config was found: named by the user, the user's own, or by searching upward, where it may be anyone's. */
export type FoundBy = 'name' | 'user' | 'search'

/** A config and how it was found. */
export interface Found {
  file: string
  by: FoundBy
}

/**
 * Finds the config: `--config`, else `MULLIGAN_CONFIG`, else the nearest mulligan.toml from the working folder upward, else the
 * user's XDG config; undefined if there is none, which is fine.
 */
export function findConfig({ flag, env, cwd }: Discovery): Found | undefined {
  const named = flag ?? (env.MULLIGAN_CONFIG || undefined)
  if (named !== undefined) return { file: resolve(cwd, named), by: 'name' }
  const user = join(env.XDG_CONFIG_HOME || join(env.HOME ?? homedir(), '.config'), 'mulligan', CONFIG_NAME)
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const file = join(folder, CONFIG_NAME)
    // A search that finds the user's own config has not found a stranger's.
    if (existsSync(file)) return { file, by: file === resolve(user) ? 'user' : 'search' }
    if (dirname(folder) === folder) break
  }
  return existsSync(user) ? { file: user, by: 'user' } : undefined
}

/** Only the path of {@link findConfig}. */
export function discoverConfig(discovery: Discovery): string | undefined {
  return findConfig(discovery)?.file
}
