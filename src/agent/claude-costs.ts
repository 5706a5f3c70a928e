import { existsSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { endOf } from './side-record.ts'
import type { Environment } from './variables.ts'

/** Where Claude Code keeps its settings and sessions. */
export const claudeHome = ({ CLAUDE_CONFIG_DIR: given }: Environment, user: string) =>
  given || join(user, '.claude')

/**
 * What Claude Code adds to the cost of a run that resumes this session: it records the total of a session at the end of a run, and
 * continues from there. Versions that record none start at 0. Undefined if the session is not found.
 */
export function recordedCost(id: string, env: Environment): number | undefined {
  if (!/^[\w-]{1,100}$/.test(id)) return undefined
  const projects = join(claudeHome(env, env.HOME || homedir()), 'projects')
  const file = foldersIn(projects)
    .map(project => join(projects, project, `${id}.jsonl`))
    .find(path => existsSync(path))
  if (file === undefined) return undefined
  const last = endOf(file)
    .split('\n')
    .findLast(line => line.includes('"type":"cost-state"'))
  const total = /"totalCostUSD":(\d+(?:\.\d+)?(?:e-?\d+)?)/.exec(last ?? '')?.[1]
  return total === undefined ? 0 : Number(total)
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
