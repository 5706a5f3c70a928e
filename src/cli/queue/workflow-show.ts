import { momentInWords } from '../../daemon/words/failure-words.ts'
import { present } from '../../failure/present.ts'
import { WORKFLOW_RUN_STATES, type WorkflowRunState } from '../../ledger/workflow-run.ts'
import { authorInWords } from '../../workflow/author-words.ts'
import { declaredWorkflows } from '../../workflow/from-config.ts'
import { Graph } from '../../workflow/graph.ts'
import { mermaidOf } from '../../workflow/mermaid.ts'
import { runInOneLine, runInWords } from '../../workflow/run-words.ts'
import type { RunView } from '../../workflow/view.ts'
import { actionToJson, runToJson, stepResultToJson, workflowToJson } from '../../workflow/workflow-json.ts'
import { Workflows } from '../../workflow/workflows.ts'
import { UsageError } from '../flag/arguments.ts'
import { choiceFlag, countFlag } from '../flag/flags.ts'
import { onlyArgument } from '../flag/subcommand.ts'
import { printAnswer } from '../print/print-answer.ts'
import type { QueueRuntime } from '../runtime/queue-runtime.ts'
import type { Terminal } from '../terminal.ts'
import { resultText } from './await-operation.ts'

const PAGE_DEFAULT = 20

interface ListFlags {
  state?: string[] | undefined
  workflow?: string | undefined
  limit?: string | undefined
  cursor?: string | undefined
  json?: boolean | undefined
}

/** Lists runs, and the workflows of the config. */
export async function list(
  { queue, loaded }: QueueRuntime,
  given: readonly string[],
  { state, workflow, limit, cursor, json }: ListFlags,
  terminal: Terminal,
): Promise<number> {
  if (given.length > 0) throw new UsageError(`workflow ls does not take ${JSON.stringify(given[0])}`)
  const states = state?.map(word => choiceFlag('--state', word, WORKFLOW_RUN_STATES) as WorkflowRunState)
  const filter = { ...(states ? { state: states } : {}), ...present({ workflow }) }
  const page = {
    limit: countFlag('--limit', limit, 1) ?? PAGE_DEFAULT,
    ...present({ cursor }),
  }
  const { items, next } = await new Workflows(queue).list(filter, page)
  const declared = declaredWorkflows(loaded)
  if (json) {
    const workflows = [...declared].map(workflowToJson)
    terminal.stdout(`${JSON.stringify({ workflows, runs: items.map(runToJson), ...present({ next }) })}\n`)
    return 0
  }
  const { names } = declared
  if (names.length > 0) terminal.stdout(`Workflows: ${names.join(', ')}\n`)
  const now = terminal.now()
  for (const view of items) terminal.stdout(`${runInOneLine(view, now, momentInWords)}\n`)
  if (items.length === 0)
    terminal.stdout(
      names.length > 0
        ? 'No runs; start one: mulligan workflow start NAME\n'
        : 'No runs and no workflows; add a [[workflow]] to mulligan.toml.\n',
    )
  if (next !== undefined) terminal.stdout(`More: mulligan workflow ls --cursor ${next}\n`)
  return 0
}

/** Shows a run, or the result of one of its steps. */
export async function show(
  { queue }: QueueRuntime,
  given: readonly string[],
  { json }: { json?: boolean | undefined },
  terminal: Terminal,
): Promise<number> {
  const [id, step, ...more] = given
  if (id === undefined || more.length > 0)
    throw new UsageError('workflow show takes a RUN and optionally a STEP')
  const workflows = new Workflows(queue)
  if (step !== undefined) {
    const kept = await workflows.result(id, step)
    if (json) terminal.stdout(`${JSON.stringify(stepResultToJson(kept))}\n`)
    else if (kept) printAnswer(terminal, resultText(stepResultToJson(kept).result))
    else terminal.stderr(`step ${step} of ${id} has no result\n`)
    return 0
  }
  const view = await workflows.show(id)
  const actions = await workflows.actions(id)
  if (json)
    terminal.stdout(
      `${JSON.stringify({ ...runToJson(view), actions: actions.map(action => actionToJson(action, view.graph)) })}\n`,
    )
  else {
    printRun(view, false, terminal)
    if (actions.length > 0) terminal.stdout('\n')
    for (const { at, by, action, step: place, note } of actions)
      terminal.stdout(
        `${momentInWords(at, terminal.now())}  ${action}${place === undefined ? '' : ` ${view.graph.at(place).id}`} ${authorInWords(by)}${note === undefined ? '' : `: ${note}`}\n`,
      )
  }
  return 0
}

/** Prints the current state of a run. */
export function printRun(view: RunView, json: boolean, terminal: Terminal): void {
  terminal.stdout(
    json
      ? `${JSON.stringify(runToJson(view))}\n`
      : `${runInWords(view, terminal.now(), momentInWords).join('\n')}\n`,
  )
}

/** Writes a Mermaid flowchart of a run or a workflow. */
export async function graph(
  { queue, loaded }: QueueRuntime,
  given: readonly string[],
  { json }: { json?: boolean | undefined },
  terminal: Terminal,
): Promise<number> {
  const wanted = onlyArgument('workflow graph', 'a RUN or the NAME of a workflow', given)
  const chart = /^wf_\d+$/.test(wanted)
    ? await ofRun(queue, wanted)
    : mermaidOf(new Graph(declaredWorkflows(loaded).get(wanted).plan))
  terminal.stdout(json ? `${JSON.stringify({ mermaid: chart })}\n` : chart)
  return 0
}

async function ofRun(queue: QueueRuntime['queue'], id: string): Promise<string> {
  const view = await new Workflows(queue).show(id)
  return mermaidOf(
    view.graph,
    view.steps.map(({ state }) => state),
  )
}
