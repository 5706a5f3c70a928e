import { z } from 'zod'
import { hideSecrets } from '../../../../capability/secret/hide-secrets.ts'
import { present } from '../../../../failure/present.ts'
import { isEnded, type Operation } from '../../../../ledger/operation.ts'
import { eventToJson, operationToJson, triedToJson } from '../../../../queue/operation-json.ts'
import { object } from '../../../../shape/value.ts'
import { inTurns } from '../../../../time/in-turns.ts'
import { waitAtMost } from '../../../../time/wait-at-most.ts'
import { backgroundOf, inForce } from '../../../http/facilities.ts'
import { filterOf } from '../../../http/operation-schemas.ts'
import { Problem } from '../../../http/problem.ts'
import { existing } from '../../../http/routes/operations.ts'
import { WAIT_MS, waitMsOf } from '../../asking-again.ts'
import { briefFilterShape } from '../brief-schemas.ts'
import { partOf } from '../cut.ts'
import { type ToolAnswer, type ToolCall, type ToolHost, tool } from '../tool.ts'

/** The longest wait for the end of an operation that a call may ask for, in milliseconds: below the limit of most clients. */
const LONGEST_WAIT_MS = 50_000
const DEFAULT_LIMIT = 20

const oneShape = {
  id: z.string().min(1).max(100).optional().describe('Look at this operation instead of listing.'),
  wait_ms: z
    .number()
    .optional()
    .describe(
      `With id: wait this long for its end, at most ${LONGEST_WAIT_MS}. Default ${WAIT_MS}, without key.`,
    ),
  key: z
    .string()
    .max(500)
    .optional()
    .describe(
      'With id: only this part, such as result, result.items.0, params, history or timeline. Keys have dots between them.',
    ),
  offset: z
    .int()
    .min(0)
    .optional()
    .describe('With key: begin at this item of a list, or character of a text.'),
}

const input = z.strictObject({
  ...oneShape,
  ...briefFilterShape,
  mine: z.boolean().optional().describe('Only those of your session. Default false.'),
  limit: z.int().min(1).max(100).optional().describe(`Page size. Default ${DEFAULT_LIMIT}.`),
  cursor: z.string().max(500).optional().describe('`next` of the page before.'),
})

const output = z.looseObject({
  operations: z.array(object).optional().describe('A page, newest first, in short.'),
  next: z.string().optional().describe('Cursor of the next page.'),
  operation: z.unknown().optional().describe('The operation, or the part of it that was asked for.'),
  cut: z
    .looseObject({ bytes: z.number(), next_offset: z.number().optional(), keys: object.optional() })
    .optional()
    .describe('It was too large: what is left out, and how to get it.'),
  next_step: z.string().optional().describe('When to ask again, if it has not ended.'),
})

/** Looking at operations. */
export const operations = tool({
  name: 'operations',
  title: 'Operations',
  description:
    'List operations (what was run, is queued, parked or dead) by state, capability, provider, failure or session; or look at one by id: state, reason, result, tries. Large results come in parts: ask for one key, then for the next offset.',
  annotations: { readOnlyHint: true, openWorldHint: false },
  input,
  output,
  run: (given, call, host) => (given.id === undefined ? list(given, call, host) : show(given, call, host)),
})

type Given = z.output<typeof input>

async function list(given: Given, { session }: ToolCall, { facilities }: ToolHost): Promise<ToolAnswer> {
  const { id: _id, wait_ms, key, offset, mine = false, limit = DEFAULT_LIMIT, cursor, ...filter } = given
  if (wait_ms !== undefined || key !== undefined || offset !== undefined)
    throw new Problem(400, 'invalid', 'wait_ms, key and offset go with id')
  if (mine && session === undefined)
    throw new Problem(400, 'invalid', 'mine: this connection has no session; leave it out')
  const now = inForce(facilities)
  const page = await facilities.ledger.list(
    { ...filterOf(filter), ...(mine && session !== undefined ? { session } : {}) },
    { limit, ...present({ cursor }) },
  )
  return {
    json: {
      operations: await inTurns(page.items, item =>
        inShort(operationToJson(item, backgroundOf(now, item.capability))),
      ),
      ...present({ next: page.next }),
    },
  }
}

/** What a list leaves out: large, or only of interest for one. */
const LEFT_OUT = [
  'params',
  'result',
  'context',
  'waits',
  'snoozes',
  'retrying_ms',
  'snoozed_ms',
  'run',
  'mode',
]

function inShort(operation: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(operation).filter(([key]) => !LEFT_OUT.includes(key)))
}

async function show(
  given: Given,
  { signal }: ToolCall,
  { facilities, askingAgain }: ToolHost,
): Promise<ToolAnswer> {
  const { id = '', wait_ms: wait, key, offset = 0, ...rest } = given
  const other = Object.keys(rest)[0]
  if (other !== undefined) throw new Problem(400, 'invalid', `give id or ${other}, not both`)
  if (offset > 0 && key === undefined) throw new Problem(400, 'invalid', 'offset goes with key')
  const first = await existing(facilities, id)
  // What waits for a person does not end while an agent waits for it.
  const isAtOnce = key !== undefined || first.state === 'parked'
  const waitMs = wait === undefined && isAtOnce ? 0 : waitMsOf(wait, LONGEST_WAIT_MS)
  if (waitMs > 0 && !isEnded(first))
    await waitAtMost(
      waitMs,
      ends => inForce(facilities).queue.wait(id, { signal: ends }),
      facilities.time,
      signal,
    )
  const now = await existing(facilities, id)
  const { timeline, ...whole } = await wholeOf(now, facilities)
  const more =
    isEnded(now) || now.state === 'parked' ? {} : { next_step: nextStepOf(now, facilities, askingAgain) }
  const part = partOf(key === undefined ? whole : { ...whole, timeline }, key, offset)
  if (!part.isCut) return { json: { operation: part.value, ...more } }
  const { bytes, total, nextOffset, keys } = part
  return {
    json: {
      operation: part.value,
      cut: {
        bytes,
        ...present({ total, next_offset: nextOffset }),
        ...(keys && Object.keys(keys).length > 0 ? { keys } : {}),
        how: howToGoOn(id, key, nextOffset, keys),
      },
      ...more,
    },
  }
}

function nextStepOf(
  operation: Operation,
  { time }: ToolHost['facilities'],
  askingAgain: ToolHost['askingAgain'],
): string {
  const { id } = operation
  const dueAt = operation.state === 'scheduled' ? operation.dueAt : undefined
  return askingAgain.next(
    id,
    dueAt,
    time.now(),
    waitMs => `operations with ${JSON.stringify({ id, wait_ms: waitMs })}`,
  ).sentence
}

function howToGoOn(
  id: string,
  key: string | undefined,
  nextOffset: number | undefined,
  keys: Record<string, number> | undefined,
): string {
  if (nextOffset !== undefined)
    return `The next part: ${JSON.stringify({ id, key: key ?? '', offset: nextOffset })}.`
  const [largest] = Object.keys(keys ?? {})
  if (largest === undefined) return 'This was the last part.'
  const path = key === undefined || key === '' ? largest : `${key}.${largest}`
  return `Left out are the keys with their sizes in bytes; get one: ${JSON.stringify({ id, key: path })}.`
}

async function wholeOf(operation: Operation, facilities: ToolHost['facilities']) {
  const now = inForce(facilities)
  const background = backgroundOf(now, operation.capability)
  const [attempts, timeline, ended] = await Promise.all([
    facilities.ledger.attempts(operation.id),
    facilities.ledger.timeline(operation.id, { providers: true }),
    operation.state === 'succeeded' ? now.queue.result(operation.id) : undefined,
  ])
  const { result_cut: _cut, ...json } = operationToJson(operation, background)
  return {
    ...json,
    ...(ended?.state === 'succeeded' && ended.value !== undefined
      ? { result: hideSecrets(ended.value, background.capability) }
      : {}),
    history: attempts.map(triedToJson),
    timeline: timeline.map(eventToJson),
  }
}
