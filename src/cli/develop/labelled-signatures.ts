import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { ConfigError } from '../../config/error.ts'
import { classify } from '../../failure/classify.ts'
import type { ClassifyContext } from '../../failure/context.ts'
import type { Terminal } from '../terminal.ts'

/**
 * The signatures for classifying inputs. Adds the ledger's labels only if an input is unknown without them, because
 * opening a ledger takes longer than everything else.
 * @param config the value of `--config`, and whether a config was found
 */
export async function labelledSignatures(
  inputs: readonly unknown[],
  context: ClassifyContext,
  config: { flag: string | undefined; isThere: boolean },
  terminal: Terminal,
): Promise<ClassifyContext['signatures']> {
  if (!config.isThere && !hasOwnState(terminal)) return context.signatures
  if (!inputs.some(input => classify(input, context)?.class === 'unknown')) return context.signatures
  const { learnedClassify } = await import('../runtime/agents.ts')
  try {
    return (await learnedClassify(config.flag, terminal)).signatures
  } catch (error) {
    // A mistake elsewhere in the config does not matter here.
    if (error instanceof ConfigError) return context.signatures
    throw error
  }
}

/** Whether a ledger may exist in its default place, without a config. */
function hasOwnState({ env }: Terminal): boolean {
  const state = env.XDG_STATE_HOME || join(env.HOME ?? homedir(), '.local', 'state')
  return env.MULLIGAN_QUEUE_DATA !== undefined || existsSync(join(state, 'mulligan'))
}
