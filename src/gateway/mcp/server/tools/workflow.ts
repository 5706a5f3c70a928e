import { z } from 'zod'
import { present } from '../../../../failure/present.ts'
import { WORKFLOW_RUN_STATES } from '../../../../ledger/workflow-run.ts'
import { isMayRepeat } from '../../../../queue/error.ts'
import { object } from '../../../../shape/value.ts'
import { waitAtMost } from '../../../../time/wait-at-most.ts'
import type { RunView } from '../../../../workflow/view.ts'
import { waitForEnd } from '../../../../workflow/wait.ts'
import { runToJson, stepResultToJson, workflowToJson } from '../../../../workflow/workflow-json.ts'
import { Workflows } from '../../../../workflow/workflows.ts'
import { type InForce, inForce } from '../../../http/facilities.ts'
import { Problem } from '../../../http/problem.ts'
import { name } from '../../../http/value-schemas.ts'
import { waitMsOf } from '../../asking-again.ts'
import { partOf } from '../cut.ts'
import { answererOf, mayAnswer, maySkip } from '../may-decide.ts'
import { type ToolAnswer, type ToolCall, type ToolHost, tool } from '../tool.ts'

/** The longest wait for the end of a run, in milliseconds: below the limit that most clients have. */
const LONGEST_WAIT_MS = 50_000
const DEFAULT_LIMIT = 10

const LOOKS = ['list', 'show', 'result'] as const
const CHANGES = ['start', 'advance', 'retry', 'skip', 'cancel'] as const

const shape = {
  name: name.optional().describe('For start: the workflow. For list: only its runs.'),
  run: z.string().min(1).max(100).optional().describe('The run, for all but list and start.'),
  step: name.optional().describe('A step of the run: for result, advance and skip; for retry only that one.'),
  state: z.array(z.enum(WORKFLOW_RUN_STATES)).min(1).optional().describe('For list: runs in these states.'),
  limit: z.int().min(1).max(50).optional().describe(`For list: page size. Default ${DEFAULT_LIMIT}.`),
  cursor: z.string().max(500).optional().describe('For list: `next` of the page before.'),
  wait_ms: z
    .number()
    .optional()
    .describe(`For start and show: wait this long for the end, at most ${LONGEST_WAIT_MS}. Default 0.`),
  key: z
    .string()
    .max(500)
    .optional()
    .describe(
      'For result: only this part, keys with dots between them. For start: the same key is the same run.',
    ),
  offset: z
    .int()
    .min(0)
    .optional()
    .describe('For result: begin at this item of a list, or character of a text.'),
}
const changeShape = {
  params: object.optional().describe('For start: what it is started with.'),
  result: z
    .unknown()
    .optional()
    .describe('For advance: the answer to the question of a step, as its answer fields say.'),
  reason: z.string().min(1).max(2000).optional().describe('Why, for its history.'),
}

const output = z.looseObject({
  workflows: z.array(object).optional().describe('What can be started.'),
  runs: z.array(object).optional(),
  next: z.string().optional(),
  run: object.optional().describe('The run with its steps, and what each waits for.'),
  result: z.unknown().optional(),
  cut: object.optional(),
  next_step: z.string().optional(),
})

const TAKES: Record<string, readonly string[]> = {
  list: ['name', 'state', 'limit', 'cursor'],
  show: ['run', 'wait_ms'],
  result: ['run', 'step', 'key', 'offset'],
  start: ['name', 'params', 'key', 'wait_ms'],
  advance: ['run', 'step', 'result', 'reason'],
  retry: ['run', 'step', 'reason'],
  skip: ['run', 'step', 'reason'],
  cancel: ['run', 'reason'],
}

const LOOK =
  'Workflows: steps that depend on each other; one that has to wait for a retry or a person does not fail the rest. List workflows and runs, show how a run stands and what each step waits for, or get the result of a step.'

/** Workflow runs. */
export function workflow(readOnly: boolean) {
  const actions = readOnly ? LOOKS : [...LOOKS, ...CHANGES]
  return tool({
    name: 'workflow',
    title: 'Workflows',
    description: readOnly
      ? LOOK
      : `${LOOK} Start a run, advance it by answering a question that a step asks, retry what failed, skip a step, or cancel.`,
    annotations: readOnly
      ? { readOnlyHint: true, openWorldHint: false }
      : { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    input: z.strictObject({
      action: z.enum(actions as [string, ...string[]]),
      ...shape,
      ...(readOnly ? {} : changeShape),
    }),
    output,
    run: ({ action, ...given }, call, host) => act(action, given as Given, call, host),
  })
}

interface Given {
  name?: string
  run?: string
  step?: string
  state?: (typeof WORKFLOW_RUN_STATES)[number][]
  limit?: number
  cursor?: string
  wait_ms?: number
  key?: string
  offset?: number
  params?: Record<string, unknown>
  result?: unknown
  reason?: string
}

async function act(action: string, given: Given, call: ToolCall, host: ToolHost): Promise<ToolAnswer> {
  const takes = TAKES[action] ?? []
  const other = Object.keys(given).find(key => !takes.includes(key))
  if (other !== undefined)
    throw new Problem(400, 'invalid', `${action} takes no ${other}; it takes ${takes.join(', ')}`)
  const now = inForce(host.facilities)
  const workflows = new Workflows(now.queue)
  const by = {
    by: call.session ?? call.client,
    ...present({ reason: given.reason }),
    mayRepeat: call.rights.asPerson,
  }
  const changed = (view: RunView): ToolAnswer => ({
    json: { run: runToJson(view), next_step: nextStepOf(view, call.rights.asPerson ? undefined : by.by) },
  })
  const run = () => needed(action, 'run', given.run)
  const step = () => needed(action, 'step', given.step)
  switch (action) {
    case 'list':
      return list(given, now, workflows)
    case 'start': {
      const wanted = needed(action, 'name', given.name)
      const started = await now.workflows.get(wanted).start(now.queue, given.params ?? {}, {
        by: by.by,
        ...present({ key: given.key, session: call.session }),
      })
      return shown(started.id, given, call, host, workflows, changed)
    }
    case 'show':
      return shown(run(), given, call, host, workflows, changed)
    case 'result':
      return resultOf(await workflows.result(run(), step()), given)
    case 'advance':
      if (!('result' in given)) throw new Problem(400, 'invalid', 'advance needs a result')
      if (!call.rights.asPerson) mayAnswer(await workflows.show(run()), step(), by.by)
      return changed(await unlessRepeated(workflows.advance(run(), step(), given.result, by)))
    case 'retry':
      return changed(
        await unlessRepeated(workflows.retry(run(), { ...by, ...present({ step: given.step }) })),
      )
    case 'skip':
      if (!call.rights.asPerson) await maySkip(now.queue, await workflows.show(run()), step(), by.by)
      return changed(await unlessRepeated(workflows.skip(run(), step(), by)))
    default:
      return changed(await workflows.cancel(run(), by))
  }
}

/** An agent cannot accept that something happens twice: a person can. */
async function unlessRepeated(view: Promise<RunView>): Promise<RunView> {
  try {
    return await view
  } catch (error) {
    if (!isMayRepeat(error)) throw error
    throw new Problem(
      403,
      'needs_person',
      `${error.why}. Check yourself whether it happened, and tell the user, who can supply its result`,
    )
  }
}

async function list(given: Given, { workflows: known }: InForce, workflows: Workflows): Promise<ToolAnswer> {
  const { name: of, state, limit = DEFAULT_LIMIT, cursor } = given
  const { items, next } = await workflows.list(
    present({ workflow: of === undefined ? undefined : [of], state }),
    { limit, ...present({ cursor }) },
  )
  const startable = [...known].filter(each => of === undefined || each.name === of)
  return {
    json: {
      workflows: startable.map(workflowToJson),
      runs: items.map(view => {
        const { steps, params: _params, ...rest } = runToJson(view)
        const states = (steps as { id: string; state: string }[]).map(({ id, state: of }) => [id, of])
        return { ...rest, steps: Object.fromEntries(states) }
      }),
      ...present({ next }),
    },
  }
}

async function shown(
  id: string,
  { wait_ms: wait = 0 }: Given,
  { signal }: ToolCall,
  { facilities }: ToolHost,
  workflows: Workflows,
  changed: (view: RunView) => ToolAnswer,
): Promise<ToolAnswer> {
  const view = await workflows.show(id)
  const waitMs = waitMsOf(wait, LONGEST_WAIT_MS)
  if (waitMs > 0 && view.run.state === 'running')
    await waitAtMost(waitMs, ends => waitForEnd(inForce(facilities).queue, id, ends), facilities.time, signal)
  return changed(await workflows.show(id))
}

/** @param agent who asks, unless it counts as a person */
function nextStepOf(view: RunView, agent: string | undefined): string {
  const { run, status, steps } = view
  const asked = steps.find(({ question }) => question !== undefined)
  if (asked) {
    const answerer = agent === undefined ? undefined : answererOf(view, asked, agent)
    const how = {
      person: ' a person: tell the user',
      another: ' somebody else than you, who started the run: tell the user',
      you: ': answer it with action advance, or ask the user',
    }[answerer ?? 'you']
    return `Step ${asked.step.id} asks${how}. The other steps go on meanwhile.`
  }
  if (run.state === 'running')
    return status === 'blocked'
      ? 'No step can continue now: steps say what they wait for. Tell the user, and continue with other work.'
      : 'It continues automatically: continue with other work, and look at it later.'
  return run.state === 'succeeded'
    ? 'Done: get results with action result and a step.'
    : 'It has ended without success: its steps say why. Remove the cause, then retry it, or tell the user.'
}

function resultOf(kept: Parameters<typeof stepResultToJson>[0], { key = '', offset = 0 }: Given): ToolAnswer {
  const { result } = stepResultToJson(kept)
  const { value, isCut, bytes, nextOffset, keys } = partOf(result, key, offset)
  if (!isCut) return { json: { result: value } }
  const cut = {
    bytes,
    ...present({ next_offset: nextOffset, keys }),
  }
  return { json: { result: value, cut } }
}

function needed(action: string, what: string, given: string | undefined): string {
  if (given !== undefined) return given
  throw new Problem(
    400,
    'invalid',
    `${action} needs ${what === 'name' ? 'the name of a workflow' : `a ${what}`}; list shows them`,
  )
}
