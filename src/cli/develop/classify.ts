import { failureInOneLine } from '../../daemon/words/failure-words.ts'
import { classify } from '../../failure/classify.ts'
import { failureToJson } from '../../failure/json.ts'
import { printJson } from '../print/print-json.ts'
import type { Terminal } from '../terminal.ts'
import { readFailureInputs } from './input.ts'

export const usage = 'Usage: mulligan classify [FILE…|-] [OPTIONS]'

/** The page that classify, explain and decide share. Apart, because classifying must start fast. */
export const usageOf = async (): Promise<string> => (await import('./decide.ts')).usage

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { inputs, json } = await readFailureInputs(argv, usage, terminal)
  for (const { name, input, context } of inputs) {
    const failure = classify(input, context)
    if (json) printJson(terminal, failure === null ? null : failureToJson(failure))
    else {
      const prefix = inputs.length > 1 ? `${name}: ` : ''
      terminal.stdout(`${prefix}${failure === null ? 'not a failure' : failureInOneLine(failure)}\n`)
    }
  }
  return 0
}
