import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

/** Name of a config file. */
export const CONFIG_NAME = 'mulligan.toml'

/** Where to look for a config. */
export interface Discovery {
  /** Given by `--config`; wins over everything. */
  flag?: string | undefined
  /** Environment: `MULLIGAN_CONFIG`, `XDG_CONFIG_HOME` and `HOME` count. */
  env: Record<string, string | undefined>
  /** Folder to look in, and upward from. */
  cwd: string
}

/** How a config was found: named by the user, their own, or in this folder or above, where it may be anyone's. */
export type FoundBy = 'name' | 'user' | 'search'

/** A config and how it was found. */
export interface Found {
  file: string
  by: FoundBy
}

/**
 * Where the config is: `--config`, else `MULLIGAN_CONFIG`, else the nearest mulligan.toml from the working
 * folder upward, else the user's XDG config; undefined if there is none, which is fine.
 */
export function findConfig({ flag, env, cwd }: Discovery): Found | undefined {
  const named = flag ?? (env.MULLIGAN_CONFIG || undefined)
  if (named !== undefined) return { file: resolve(cwd, named), by: 'name' }
  const user = join(env.XDG_CONFIG_HOME || join(env.HOME ?? homedir(), '.config'), 'mulligan', CONFIG_NAME)
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const file = join(folder, CONFIG_NAME)
    // Who works in the folder of their own config has not met a stranger's.
    if (existsSync(file)) return { file, by: file === resolve(user) ? 'user' : 'search' }
    if (dirname(folder) === folder) break
  }
  return existsSync(user) ? { file: user, by: 'user' } : undefined
}

/** The path of {@link findConfig} alone. */
export function discoverConfig(discovery: Discovery): string | undefined {
  return findConfig(discovery)?.file
}
