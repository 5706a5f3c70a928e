import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BUILT_COMMAND } from '../test/cli/command.ts'

/** The programs that crash tests start and kill. */
export const RUNNERS = ['crash-runner', 'queue-runner', 'notice-runner', 'workflow-runner'] as const

/**
 * Arguments with which `node` starts one of them. Vitest has built them before: tests start dozens, and loading the sources
 * takes three times as long.
 */
export function runnerProgram(name: (typeof RUNNERS)[number]): readonly string[] {
  if (process.env.VITEST === 'true') return [join(dirname(BUILT_COMMAND), `${name}.js`)]
  return ['--conditions=mulligan-source', fileURLToPath(new URL(`./${name}.ts`, import.meta.url))]
}
