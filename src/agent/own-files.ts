import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import type { OwnFiles } from './cli.ts'

/** Reads a CLI's own settings as this environment finds them. */
export function ownFiles(env: OwnFiles['env'], cwd?: string): OwnFiles {
  return {
    env,
    home: env.HOME || homedir(),
    ...(cwd === undefined ? {} : { cwd }),
    readFile: path => {
      try {
        return readFileSync(path, 'utf8')
      } catch {
        return undefined
      }
    },
  }
}
