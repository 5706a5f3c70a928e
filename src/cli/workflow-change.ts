import { operatorOf } from '../unknown/operator.ts'
import { WorkflowError } from '../workflow/error.ts'
import { repeatOf } from '../workflow/repeat.ts'
import type { RunView } from '../workflow/view.ts'
import { type By, Workflows } from '../workflow/workflows.ts'
import { UsageError } from './arguments.ts'
import type { Terminal } from './main.ts'
import type { QueueRuntime } from './queue-runtime.ts'
import { onlyArgument } from './subcommand.ts'
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
  const result = jsonOr(flags.result)
  return printed(new Workflows(queue).advance(id, step, result, byOf(flags, terminal)), flags, terminal)
}

/** Runs failed steps again and continues. */
export const retry: Change = async ({ queue }, given, flags, terminal) => {
  const [id, step, more] = given
  if (id === undefined || more !== undefined)
    throw new UsageError('workflow retry takes a RUN and optionally a STEP')
  if (flags.from && step === undefined) throw new UsageError('--from needs the STEP to retry from')
  const what = {
    ...(step === undefined ? {} : { step }),
    from: flags.from === true,
    ...byOf(flags, terminal),
  }
  const workflows = new Workflows(queue)
  const doubt =
    flags['may-repeat'] === true
      ? undefined
      : await repeatOf(queue, await workflows.show(id), { action: 'retry', step })
  if (doubt && !doubt.isStopping && !(await accepts(doubt.why, terminal)))
    throw new WorkflowError(
      'wrong_state',
      `${doubt.why}. Check whether it happened; to run it again all the same: --may-repeat`,
    )
  return printed(workflows.retry(id, what), flags, terminal)
}

async function accepts(why: string, { ask }: Terminal): Promise<boolean> {
  const answer = await ask?.(`This may happen twice: ${why}.\nRun again all the same? [y/N] `)
  return /^y(es)?$/i.test((answer ?? '').trim())
}

/** Continues without a step. */
export const skip: Change = ({ queue }, given, flags, terminal) => {
  const [id, step] = runAndStep('skip', given)
  return printed(new Workflows(queue).skip(id, step, byOf(flags, terminal)), flags, terminal)
}

/** Cancels a run. */
export const cancel: Change = ({ queue }, given, flags, terminal) => {
  const id = onlyArgument('workflow cancel', 'a RUN', given)
  return printed(new Workflows(queue).cancel(id, byOf(flags, terminal)), flags, terminal)
}

async function printed(view: Promise<RunView>, { json }: ChangeFlags, terminal: Terminal): Promise<number> {
  printRun(await view, json === true, terminal)
  return 0
}

function runAndStep(name: string, [id, step, more]: readonly string[]): [id: string, step: string] {
  if (id === undefined || step === undefined) throw new UsageError(`workflow ${name} needs a RUN and a STEP`)
  if (more !== undefined)
    throw new UsageError(`workflow ${name} takes a RUN and a STEP; unexpected ${JSON.stringify(more)}`)
  return [id, step]
}

function byOf({ reason }: ChangeFlags, { env }: Terminal): By {
  return { by: operatorOf(env), ...(reason === undefined ? {} : { reason }) }
}

/** Parses JSON; returns any other text unchanged. */
function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
