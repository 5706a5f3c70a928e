import type { AgentSettings } from '../../agent/settings.ts'
import {
  PROMPT_CAPABILITY,
  type PromptParams,
  REPEATABLE_PROMPT_CAPABILITY,
} from '../../capability/prompt-capability.ts'
import type { AgentResult } from '../../capability/run-agent.ts'
import { present } from '../../failure/present.ts'
import type { RunNowOptions } from '../../queue/run-now.ts'
import type { RanNow } from '../../queue/run-result.ts'
import { printAnswer } from '../print/print-answer.ts'
import { printJson } from '../print/print-json.ts'
import type { QueueRuntime } from '../runtime/queue-runtime.ts'
import type { Terminal } from '../terminal.ts'
import { runHere } from './run-here.ts'

/** A prompt that may wait in the queue. */
export interface QueuedPrompt extends PromptParams {
  agents: readonly AgentSettings[]
  /** Whether running it twice is safe. */
  repeatable: boolean
  /** The session to notify. Default none. */
  session?: string
  /**
   * Time limit for tries and waits in this process, in milliseconds; ends a running try. Default: no try is ended, and a
   * prompt that would wait longer than the queue's budget is handed over.
   */
  budgetMs?: number
}

/**
 * Runs a prompt now, and hands it over to a runner if it cannot be answered yet. It is recorded before the first try, so
 * it survives a crash of this process.
 */
export async function runQueued(
  { agents, repeatable, session, budgetMs, ...params }: QueuedPrompt,
  runtime: QueueRuntime,
  json: boolean,
  terminal: Terminal,
): Promise<number> {
  const run = (options: RunNowOptions) =>
    runtime.queue.run(repeatable ? REPEATABLE_PROMPT_CAPABILITY : PROMPT_CAPABILITY, params, {
      providers: agents.map(({ id }) => id),
      ...present({ session }),
      ...options,
    })
  const printDone = ({ value, operationId }: RanNow) => {
    const answer = value as AgentResult
    if (json) printJson(terminal, { ok: true, operation_id: operationId, ...answer })
    else printAnswer(terminal, answer.text)
  }
  return runHere({ command: 'run', budgetMs, json, run, printDone }, runtime, terminal)
}
