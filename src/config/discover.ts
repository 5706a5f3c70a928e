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

/**
 * Where the config is: `--config`, else `MULLIGAN_CONFIG`, else the nearest mulligan.toml from the working
 * folder upward, else the user's XDG config; undefined if there is none, which is fine.
 */
export function discoverConfig({ flag, env, cwd }: Discovery): string | undefined {
  const named = flag ?? (env.MULLIGAN_CONFIG || undefined)
  if (named !== undefined) return resolve(cwd, named)
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const file = join(folder, CONFIG_NAME)
    if (existsSync(file)) return file
    if (dirname(folder) === folder) break
  }
  const user = join(env.XDG_CONFIG_HOME || join(env.HOME ?? homedir(), '.config'), 'mulligan', CONFIG_NAME)
  return existsSync(user) ? user : undefined
}
