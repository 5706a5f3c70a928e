import { isMayRepeat } from '../../queue/error.ts'
import { isWorkflowError } from '../../workflow/error.ts'
import { parseArguments, UsageError } from '../flag/arguments.ts'
import { PARAMS_OPTIONS } from '../flag/params.ts'
import { SESSION_USAGE } from '../flag/session-flag.ts'
import { subcommandOf } from '../flag/subcommand.ts'
import { withActingQueue, withQueue } from '../runtime/queue-runtime.ts'
import { RUNTIME_OPTIONS, RUNTIME_USAGE } from '../runtime/runtime.ts'
import type { Terminal } from '../terminal.ts'
import { advance, cancel, retry, skip } from './workflow-change.ts'
import { graph, list, show } from './workflow-show.ts'
import { isOfModule, start } from './workflow-start.ts'

export const usage = `Usage: mulligan workflow ls|start|show|advance|retry|skip|cancel|graph [OPTIONS]

  ls                list runs, newest first, with what blocked runs wait for, and the workflows of the config
  start NAME        start a run; prints its id
  show RUN [STEP]   show the steps, their states and what each waits for; with STEP, the result of that step
  advance RUN STEP  answer a question, or supply the result of a step that has not succeeded; needs --result
  retry RUN [STEP]  run failed steps again and continue with the rest; waiting steps run now; with STEP, only that one;
                    with --from, that one and all that depend on it, even if they have succeeded
  skip RUN STEP     continue without a step
  cancel RUN        cancel a run and its open operations
  graph RUN|NAME    print a Mermaid flowchart; of a run, with the state of each step

  --param N=V       with start: a parameter; parsed as JSON unless the workflow takes a string; may be repeated
  --params JSON     with start: all parameters as a JSON object. They are not encrypted: give secrets to the capability
                    in the config, as "env:NAME"
  --key K           with start: the same key and parameters return the same run
${SESSION_USAGE}
  --wait            with start: wait until it ends
  --result JSON     with advance: the answer or result; anything that is not JSON is used as text
  --from            with retry: also run all steps that depend on STEP
  --may-repeat      with advance, retry, skip: run again even steps that may already have taken effect
  --reason TEXT     with advance, retry, skip, cancel: why; recorded with who did it
  --state S         with ls: running, succeeded, failed or cancelled; may be repeated
  --workflow NAME   with ls: only runs of this workflow
  --limit N         with ls: page size; default 20
  --cursor C        with ls: start of the page, as printed by the previous page
  --json            JSON on stdout
${RUNTIME_USAGE}

Exit codes: 0 done, 1 refused, or with start --wait the run did not succeed, 2 wrong usage.`

const OPTIONS = {
  ...RUNTIME_OPTIONS,
  ...PARAMS_OPTIONS,
  key: { type: 'string' },
  session: { type: 'string' },
  wait: { type: 'boolean' },
  result: { type: 'string' },
  from: { type: 'boolean' },
  'may-repeat': { type: 'boolean' },
  reason: { type: 'string' },
  state: { type: 'string', multiple: true },
  workflow: { type: 'string' },
  limit: { type: 'string' },
  cursor: { type: 'string' },
  json: { type: 'boolean' },
} as const

const SUBCOMMANDS = { ls: list, start, show, advance, retry, skip, cancel, graph }

/** Flags of each subcommand. Others are refused: ignoring one could change more than intended. */
const TAKES: Record<keyof typeof SUBCOMMANDS, readonly string[]> = {
  ls: ['state', 'workflow', 'limit', 'cursor'],
  start: [...Object.keys(PARAMS_OPTIONS), 'key', 'session', 'wait'],
  show: [],
  advance: ['result', 'reason', 'may-repeat'],
  retry: ['from', 'reason', 'may-repeat'],
  skip: ['reason', 'may-repeat'],
  cancel: ['reason'],
  graph: [],
}

function checkFlags(name: keyof typeof SUBCOMMANDS, given: object): void {
  const taken = [...TAKES[name], ...Object.keys(RUNTIME_OPTIONS), 'json']
  const other = Object.keys(given).find(flag => !taken.includes(flag))
  if (other === undefined) return
  const others = Object.entries(TAKES).flatMap(([known, flags]) => (flags.includes(other) ? [known] : []))
  throw new UsageError(
    `workflow ${name} does not take --${other}, which is for workflow ${others.join(', ')}`,
  )
}

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(argv, { usage, options: OPTIONS })
  const [name, ...given] = positionals
  const subcommand = subcommandOf<(typeof SUBCOMMANDS)[keyof typeof SUBCOMMANDS]>(
    'workflow',
    name,
    SUBCOMMANDS,
  )
  checkFlags(name as keyof typeof SUBCOMMANDS, values)
  try {
    // The workflows of a module are known only once it is loaded.
    if (subcommand === start && isOfModule(given[0], values, terminal))
      return await withActingQueue(values, terminal, runtime => start(runtime, given, values, terminal))
    const absent = subcommand === start ? 'make' : 'look'
    return await withQueue(values, terminal, runtime => subcommand(runtime, given, values, terminal), {
      absent,
      shows: name === 'ls' || name === 'show' || name === 'graph',
    })
  } catch (error) {
    if (!isWorkflowError(error) && !isMayRepeat(error)) throw error
    if (
      ['invalid_params', 'invalid_result', 'unknown_workflow', 'unknown_step', 'missing', 'invalid'].includes(
        error.code,
      )
    )
      throw new UsageError(error.message)
    terminal.stderr(`mulligan workflow ${name}: ${error.message}\n`)
    return 1
  }
}
