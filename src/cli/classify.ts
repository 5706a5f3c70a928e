import { classify } from '../failure/classify.ts'
import { failureToJson } from '../failure/json.ts'
import { failureInOneLine } from './failure-words.ts'
import { INPUT_USAGE, readFailureInputs } from './input.ts'
import type { Terminal } from './main.ts'
import { printJson } from './print-json.ts'

export const usage = `Usage: mulligan classify [FILE…|-] [OPTIONS]

Classifies a failure: prints its class and kind, whether it may have taken effect, and when it can work again.
${INPUT_USAGE}

Exit codes: 0 classified (also if it is not a failure), 1 a file or config cannot be used, 2 wrong usage.`

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
