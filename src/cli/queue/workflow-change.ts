import { present } from '../../failure/present.ts'
import { isMayRepeat, MayRepeat } from '../../queue/error.ts'
import { operatorOf } from '../../unknown/operator.ts'
import type { RunView } from '../../workflow/view.ts'
import { type By, Workflows } from '../../workflow/workflows.ts'
import { UsageError } from '../flag/arguments.ts'
import { jsonOrText } from '../flag/json-or-text.ts'
import { onlyArgument } from '../flag/subcommand.ts'
import type { QueueRuntime } from '../runtime/queue-runtime.ts'
import type { Terminal } from '../terminal.ts'
import { printRun } from './workflow-show.ts'

interface ChangeFlags {
  result?: string | undefined
  from?: boolean | undefined
  'may-repeat'?: boolean | undefined
  reason?: string | undefined
  json?: boolean | undefined
}

type Change = (
  runtime: QueueRuntime,
  given: readonly string[],
  flags: ChangeFlags,
  terminal: Terminal,
) => Promise<number>

/** Answers a question, or supplies the result of a step. */
export const advance: Change = ({ queue }, given, flags, terminal) => {
  const [id, step] = runAndStep('advance', given)
  if (flags.result === undefined) throw new UsageError('workflow advance needs --result JSON')
  const result = jsonOrText(flags.result)
  return printed(
    more => new Workflows(queue).advance(id, step, result, { ...byOf(flags, terminal), ...more }),
    flags,
    terminal,
  )
}

/** Runs failed steps again and continues. */
export const retry: Change = async ({ queue }, given, flags, terminal) => {
  const [id, step, more] = given
  if (id === undefined || more !== undefined)
    throw new UsageError('workflow retry takes a RUN and optionally a STEP')
  if (flags.from && step === undefined) throw new UsageError('--from needs the STEP to retry from')
  const what = {
    ...present({ step }),
    from: flags.from === true,
    ...byOf(flags, terminal),
  }
  return printed(more => new Workflows(queue).retry(id, { ...what, ...more }), flags, terminal)
}

/** Continues without a step. */
export const skip: Change = ({ queue }, given, flags, terminal) => {
  const [id, step] = runAndStep('skip', given)
  return printed(
    more => new Workflows(queue).skip(id, step, { ...byOf(flags, terminal), ...more }),
    flags,
    terminal,
  )
}

/** Cancels a run. */
export const cancel: Change = ({ queue }, given, flags, terminal) => {
  const id = onlyArgument('workflow cancel', 'a RUN', given)
  return printed(() => new Workflows(queue).cancel(id, byOf(flags, terminal)), flags, terminal)
}

type Act = (accepted: { mayRepeat: boolean }) => Promise<RunView>

async function printed(act: Act, flags: ChangeFlags, terminal: Terminal): Promise<number> {
  printRun(await unlessRepeated(act, flags['may-repeat'] === true, terminal), flags.json === true, terminal)
  return 0
}

/** Asks a person at a terminal before something may happen twice; without one, only the flag accepts it. */
async function unlessRepeated(act: Act, mayRepeat: boolean, { ask }: Terminal): Promise<RunView> {
  try {
    return await act({ mayRepeat })
  } catch (error) {
    if (!isMayRepeat(error)) throw error
    const answer = await ask?.(`This may happen twice: ${error.why}.\nRun again all the same? [y/N] `)
    if (/^y(es)?$/i.test((answer ?? '').trim())) return act({ mayRepeat: true })
    throw new MayRepeat(error.why, '--may-repeat')
  }
}

function runAndStep(name: string, [id, step, more]: readonly string[]): [id: string, step: string] {
  if (id === undefined || step === undefined) throw new UsageError(`workflow ${name} needs a RUN and a STEP`)
  if (more !== undefined)
    throw new UsageError(`workflow ${name} takes a RUN and a STEP; unexpected ${JSON.stringify(more)}`)
  return [id, step]
}

function byOf({ reason }: ChangeFlags, { env }: Terminal): By {
  return { by: operatorOf(env), ...present({ reason }) }
}
