import { z } from 'zod'
import { hideSecrets } from '../../../../capability/secret/hide-secrets.ts'
import { present } from '../../../../failure/present.ts'
import type { DeadOperation, Operation } from '../../../../ledger/operation.ts'
import { isOperationFailed } from '../../../../queue/error.ts'
import { failedToJson, handedOverToJson } from '../../../../queue/hand-over-json.ts'
import { isHandedOver, type RunResult } from '../../../../queue/run-result.ts'
import { runWithin } from '../../../../queue/run-within.ts'
import { object } from '../../../../shape/value.ts'
import type { CancelReason, ParkReason } from '../../../../verdict/verdict.ts'
import { backgroundOf, inForce } from '../../../http/facilities.ts'
import { problemOf } from '../../../http/problem.ts'
import { name } from '../../../http/value-schemas.ts'
import { bytesOf, LARGEST_ANSWER_BYTES, partOf } from '../cut.ts'
import { type ToolAnswer, type ToolCall, type ToolHost, tool } from '../tool.ts'
import { unreadAfter } from '../unread.ts'

/** Longest time a call waits for its operation, in milliseconds. */
const LONGEST_WAIT_MS = 600_000

const OUTCOMES = ['done', 'running', 'queued', 'parked', 'refused'] as const

const input = z.strictObject({
  capability: name.describe('Name of the capability; the tool capabilities finds it.'),
  params: object.optional().describe('Its parameters, as its params_schema has them. Default none.'),
  key: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .describe('Idempotency key: the same key and parameters are the same operation, even after it ended.'),
  wait_ms: z
    .int()
    .min(0)
    .max(LONGEST_WAIT_MS)
    .optional()
    .describe(
      'How long to wait for the result, in milliseconds; nothing is cut short. Default 20 seconds, or what the config says.',
    ),
})

const output = z.looseObject({
  ok: z.boolean().describe('True only if it is done.'),
  outcome: z.enum(OUTCOMES),
  next_step: z.string().describe('What to do now.'),
  operation_id: z.string().optional(),
  result: z.unknown().optional().describe('What the capability returned, if done.'),
  result_cut: z.boolean().optional().describe('`result` is only a part.'),
  queued_for_retry: z.boolean().optional(),
  retry_at: z.string().optional().describe('When it is tried again.'),
  parked_for: z.string().optional().describe('What it waits for, if not for a time.'),
  retry_hint: z.string().optional().describe('What will happen, and how you will hear of it.'),
  reason: z.string().optional(),
  failure: object.optional(),
})

/** Runs a capability for an agent. */
export const run = tool({
  name: 'run',
  title: 'Run a capability',
  description: [
    'Run a capability now. If it cannot work now (a rate limit, an outage, a login), Mulligan keeps it, tries again when it can, and puts the result in your inbox: continue with other work, and never call run again for the same thing.',
    'The answer is done (with the result), running, queued, parked (it waits for a person) or refused; next_step says what to do.',
    'Failures are retried only where that is safe.',
  ].join(' '),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  input,
  output,
  async run({ capability, params, key, wait_ms: waitMs }, call, host) {
    const { facilities } = host
    const { queue, loaded } = inForce(facilities)
    let begun: string | undefined
    try {
      const result = await runWithin(queue, capability, params ?? {}, {
        source: 'mcp',
        waitMs: waitMs ?? loaded.config.queue.budgetMs,
        here: host.runsHere,
        time: facilities.time,
        signal: call.signal,
        hearBy: hearBy(call.session),
        onBegun: id => {
          begun = id
        },
        onEvent: event => {
          if (event.type === 'waiting') call.progress(event.reason)
          if (event.type === 'attempt.failed')
            call.progress(`${event.failure.class}/${event.failure.kind}: ${event.failure.message}`)
        },
        ...present({ key, session: call.session }),
      })
      return await told(result, capability, call, host)
    } catch (error) {
      if (isOperationFailed(error)) return refused(error.operation, call, host)
      const problem = begun === undefined ? problemOf(error) : undefined
      if (!problem) throw error
      return { json: notBegun(problem, capability), isError: true }
    }
  },
})

/** Only a session has its own inbox. */
const hearBy = (session: string | undefined) => (id: string) =>
  session === undefined
    ? `To hear how it ends: the tool operations with id ${id}. This connection names no session, so no inbox gets a notice.`
    : `You will find how it ends in your inbox (tool inbox); to look at it now: operations with id ${id}.`

async function told(
  result: RunResult,
  capability: string,
  { session }: ToolCall,
  host: ToolHost,
): Promise<ToolAnswer> {
  const { facilities, answered } = host
  const now = inForce(facilities)
  const { operationId: id } = result
  const unread = await unreadAfter(facilities, session, id)
  if (!isHandedOver(result)) {
    answered.add(id)
    const value = hideSecrets(result.value ?? null, backgroundOf(now, capability).capability)
    return { json: { ok: true, outcome: 'done', operation_id: id, ...fitting(id, value), ...unread } }
  }
  const operation = await facilities.ledger.get(id)
  const outcome = operation?.state === 'parked' || operation?.state === 'running' ? operation.state : 'queued'
  return {
    json: {
      ...handedOverToJson(result),
      outcome,
      next_step:
        result.parkedFor === undefined
          ? nextOf(outcome, id, session, result.hasRunner)
          : nextOfParked(result.parkedFor, operation, result.nextStep),
      ...(operation?.failure ? { failure: operation.failure } : {}),
      ...(session === undefined ? { session: null } : {}),
      ...unread,
    },
  }
}

/** The result, or as much of it as fits. */
function fitting(id: string, value: unknown): Record<string, unknown> {
  if (bytesOf(value) <= LARGEST_ANSWER_BYTES - 4_096)
    return { result: value, next_step: 'Done: use the result.' }
  const part = partOf({ result: value }, 'result', 0, LARGEST_ANSWER_BYTES / 2)
  return {
    result: part.value,
    result_cut: true,
    result_bytes: part.bytes,
    ...(part.keys ? { result_keys: part.keys } : {}),
    ...present({ next_offset: part.nextOffset }),
    next_step: `Done, but the result has ${part.bytes} bytes and is cut. Read the rest with the tool operations: {"id": ${JSON.stringify(id)}, "key": "result${part.keys ? '.KEY' : ''}"${part.nextOffset === undefined ? '' : `, "offset": ${part.nextOffset}`}}.`,
  }
}

function nextOf(
  outcome: 'running' | 'queued' | 'parked',
  id: string,
  session: string | undefined,
  hasRunner: boolean,
): string {
  if (outcome === 'queued' && !hasRunner)
    return 'Ask the user to start "mulligan serve": no live process can run it. Continue with other work, and do not call run again for it.'
  const look =
    session === undefined
      ? `Look at it with operations and id ${id} before you finish.`
      : 'Look into your inbox before you finish.'
  const goOn = outcome === 'running' ? 'it is still running' : 'it runs again automatically'
  return `Continue with other work: ${goOn}. Do not call run again for it. ${look}`
}

function nextOfParked(parkedFor: ParkReason, operation: Operation | undefined, step = ''): string {
  const { id = '', failure } = operation ?? {}
  const tell = `Tell the user: "${step}". It then continues automatically.`
  const said: Record<ParkReason, string> = {
    label: `Tell the user that this failure is unknown: "mulligan unknowns show ${failure?.fingerprint ?? ''}". You may propose what it is with the tool unknowns. Its label decides: temporary, and it runs again; permanent, and it ends.`,
    login: tell,
    payment: tell,
    runner: 'Ask the user to start "mulligan serve", or the program that has this capability.',
    secret: 'Tell the user which key or variable is missing; it continues automatically once it is set.',
    parameters: `Correct its parameters: operation_action with action edit and id ${id}.`,
  }
  return `${said[parkedFor]} Continue with other work.`
}

/** The verdict is final: says what it was and what would help. */
async function refused(operation: DeadOperation, call: ToolCall, host: ToolHost): Promise<ToolAnswer> {
  const { facilities, answered } = host
  answered.add(operation.id)
  const unread = await unreadAfter(facilities, call.session, operation.id)
  const failure = (await facilities.ledger.attempts(operation.id)).findLast(tried => tried.failure)?.failure
  return {
    isError: true,
    json: {
      ...failedToJson(operation, failure),
      outcome: 'refused',
      next_step: nextOfDead(operation),
      ...unread,
    },
  }
}

function nextOfDead({ id, deadAs, failure }: DeadOperation): string {
  const again = `"mulligan ops retry ${id}"`
  const said: Record<CancelReason, string> = {
    refused: `The same call fails the same way${failure ? ` (${failure.class}/${failure.kind})` : ''}: change the parameters or remove the cause first, then run it again.`,
    exhausted: `It failed too often. Tell the user; when the cause is gone: ${again}.`,
    expired: `It waited too long. If it is still wanted, run it again, or tell the user: ${again}.`,
    unverifiable: `It may have happened, and that cannot be checked from here. Do not run it again: check it yourself, or tell the user, who may decide: ${again}.`,
    cancelled: 'It was cancelled. Run it again only if the user wants that.',
    stopped: `A limit that was set on purpose stopped it. Tell the user; to continue: ${again}.`,
  }
  return said[deadAs]
}

function notBegun({ code, message }: { code: string; message: string }, capability: string) {
  const help: Record<string, string> = {
    unknown_capability: 'Find its name with the tool capabilities.',
    invalid_params: `Correct the parameters: capabilities with name ${capability} shows what it takes.`,
    too_large: 'Put large data into a file and pass its path.',
    key_conflict: 'This key belongs to another operation: use another key.',
  }
  return {
    ok: false,
    outcome: 'refused',
    code,
    reason: message,
    next_step: `Nothing was run or queued. ${help[code] ?? 'Correct the call, or try again in a moment.'}`,
  }
}
