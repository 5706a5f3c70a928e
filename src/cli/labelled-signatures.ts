import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { ConfigError } from '../config/error.ts'
import { classify } from '../failure/classify.ts'
import type { ClassifyContext } from '../failure/context.ts'
import type { Terminal } from './main.ts'

/**
 * The signatures to classify inputs by: with the labels of the ledger where one of the inputs is unknown without them.
 * Opening a ledger takes longer than everything else, so that nothing else is worth it.
 * @param config what `--config` says, and whether there is a config at all
 */
export async function labelledSignatures(
  inputs: readonly unknown[],
  context: ClassifyContext,
  config: { flag: string | undefined; isThere: boolean },
  terminal: Terminal,
): Promise<ClassifyContext['signatures']> {
  if (!config.isThere && !hasOwnState(terminal)) return context.signatures
  if (!inputs.some(input => classify(input, context)?.class === 'unknown')) return context.signatures
  const { learnedClassify } = await import('./agents.ts')
  try {
    return (await learnedClassify(config.flag, terminal)).signatures
  } catch (error) {
    // What else stands in a config is of no interest here.
    if (error instanceof ConfigError) return context.signatures
    throw error
  }
}

/** Whether there can be a ledger where no config says where it is. */
function hasOwnState({ env }: Terminal): boolean {
  const state = env.XDG_STATE_HOME || join(env.HOME ?? homedir(), '.local', 'state')
  return env.MULLIGAN_QUEUE_DATA !== undefined || existsSync(join(state, 'mulligan'))
}
