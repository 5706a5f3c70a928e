import { z } from 'zod'
import type { ActingParts } from '../../daemon/config-parts.ts'
import { present } from '../../failure/present.ts'
import type { Plan } from '../../plan/plan.ts'
import { operatorOf } from '../../unknown/operator.ts'
import { declaredWorkflows, workflowsOf } from '../../workflow/from-config.ts'
import type { RunView } from '../../workflow/view.ts'
import type { Workflow } from '../../workflow/workflow.ts'
import { runToJson } from '../../workflow/workflow-json.ts'
import { UsageError } from '../flag/arguments.ts'
import { type ParamsFlags, paramsOf } from '../flag/params.ts'
import { sessionOf } from '../flag/session-flag.ts'
import { onlyArgument } from '../flag/subcommand.ts'
import type { QueueRuntime } from '../runtime/queue-runtime.ts'
import { loadFor, type RuntimeFlags } from '../runtime/runtime.ts'
import type { Terminal } from '../terminal.ts'
import { printRun } from './workflow-show.ts'

interface StartFlags extends ParamsFlags {
  key?: string | undefined
  session?: string | undefined
  wait?: boolean | undefined
  json?: boolean | undefined
}

/** Whether a workflow is not declared in the config, so that a module may define it. */
export function isOfModule(name: string | undefined, flags: RuntimeFlags, terminal: Terminal): boolean {
  const { config } = loadFor(flags, terminal)
  return (
    name !== undefined &&
    config.queue.modules.length > 0 &&
    !config.workflows.some(each => each.name === name)
  )
}

/** Starts a run and prints its id; with --wait, prints the ended run. */
export async function start(
  runtime: QueueRuntime | (QueueRuntime & ActingParts),
  given: readonly string[],
  flags: StartFlags,
  terminal: Terminal,
): Promise<number> {
  const name = onlyArgument('workflow start', 'the NAME of a workflow', given)
  const { queue, loaded } = runtime
  const workflows =
    'agents' in runtime
      ? await workflowsOf(runtime.loaded, queue.registry, terminal)
      : declaredWorkflows(loaded)
  const workflow = workflows.get(name)
  const { params, hidden } = await paramsOf(flags, schemaFor(workflow.plan), terminal)
  if (hidden.length > 0)
    throw new UsageError(
      `${hidden.join(', ')}: parameters of a workflow are not encrypted; give a secret to its capability as "env:NAME"`,
    )
  const session = sessionOf(flags.session, terminal)
  const run = await workflow.start(queue, params ?? {}, {
    by: operatorOf(terminal.env),
    ...present({ key: flags.key, session }),
  })
  await warnWithoutRunner(runtime, workflow, terminal)
  if (flags.wait) {
    const view = await ended(run, terminal)
    if (!view) return 1
    printRun(view, flags.json === true, terminal)
    return view.status === 'succeeded' ? 0 : 1
  }
  if (flags.json)
    terminal.stdout(`${JSON.stringify({ ...runToJson(await run.show()), created: run.created })}\n`)
  else {
    terminal.stdout(`${run.id}\n`)
    terminal.stderr(
      `${run.id} ${run.created ? 'started' : 'already exists'}; to follow it: mulligan workflow show ${run.id}\n`,
    )
  }
  return 0
}

async function ended(
  run: Awaited<ReturnType<Workflow['start']>>,
  terminal: Terminal,
): Promise<RunView | undefined> {
  try {
    return await run.wait({ signal: terminal.signal })
  } catch (error) {
    if (!terminal.signal.aborted) throw error
    terminal.stderr(`mulligan: stopped waiting for ${run.id}; it continues\n`)
    return undefined
  }
}

/** Keeps the values of string parameters as text, even if they look like numbers. */
function schemaFor({ params = {} }: Plan) {
  const shape = Object.entries(params).map(([name, { type }]) => [
    name,
    type === 'string' ? z.string() : z.unknown(),
  ])
  return { params: z.object(Object.fromEntries(shape) as Record<string, z.ZodType>), secrets: [] }
}

async function warnWithoutRunner(
  { ledger }: QueueRuntime,
  { plan }: Workflow,
  terminal: Terminal,
): Promise<void> {
  const runners = await ledger.runners()
  const served = new Set(runners.flatMap(({ capabilities }) => capabilities))
  const missing = plan.steps.flatMap(({ run }) => (run === undefined || served.has(run) ? [] : [run]))
  if (runners.length === 0)
    terminal.stderr('mulligan: no runner is alive, so the run waits; start one: mulligan serve\n')
  else if (missing.length > 0)
    terminal.stderr(
      `mulligan: no live runner has ${[...new Set(missing)].join(', ')}, so the run waits for one\n`,
    )
}
