import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { openSessionOf } from '../../../capability/open-session.ts'
import { CONTINUE_CAPABILITY, type ContinueParams } from '../../../capability/prompt-capability.ts'
import { classify } from '../../../failure/classify.ts'
import type { Failure } from '../../../failure/failure.ts'
import { isSessionId } from '../../../failure/session-id.ts'
import { settle, type Wait } from '../../../failure/times/wait.ts'
import type { Operation } from '../../../ledger/operation.ts'
import { TREE_VARIABLE } from '../../../process/stragglers.ts'
import type { Queue } from '../../../queue/queue.ts'
import { cleaningUp } from '../../../time/clean-up.ts'
import { circumstancesOf } from '../../../verdict/circumstances.ts'
import { markOf } from '../../../verdict/decide.ts'
import { withActingQueue } from '../../runtime/queue-runtime.ts'
import { withActingRuntime } from '../../runtime/runtime.ts'
import type { Terminal } from '../../terminal.ts'
import { type Hook, type HookFlags, type HookInput, textOf } from './hook.ts'

/** Records why a turn ended, so that every other agent of this login knows. */
export const stopFailure: Hook = async (input, flags, terminal) => {
  const { client } = flags
  const limit = await withActingRuntime(
    flags,
    terminal,
    {},
    async ({ health, policy, classify: context }) => {
      const now = terminal.now()
      const failure = failureIn(input, { ...context, provider: client, now })
      if (!failure) return undefined
      const permit = await health.madeElsewhere(client)
      permit.failed(failure, markOf(failure, circumstancesOf({ now, durable: true }), [policy]))
      return failure.class === 'throttle' && failure.kind !== 'billing' ? failure : undefined
    },
  )
  // A run that Mulligan started is continued by whoever started it.
  if (flags.continue && limit && !terminal.env[TREE_VARIABLE]) await leave(limit, input, flags, terminal)
}

/**
 * Leaves the session to the queue, due when its limit lifts; without a stated time the block of its provider holds it back.
 * A session that waits there already waits once more, from where it stopped last.
 */
async function leave(
  { resetAt, fingerprint }: Failure,
  input: HookInput,
  flags: HookFlags,
  terminal: Terminal,
): Promise<void> {
  const [sessionId, cwd] = [textOf(input, 'session_id'), textOf(input, 'cwd')]
  // It becomes an argument of the client.
  if (!isSessionId(sessionId) || cwd === undefined) return
  const owner = Number(flags.owner)
  const open = openSessionOf(owner > 1 ? owner : undefined, textOf(input, 'transcript_path'))
  const params: ContinueParams = { sessionId, cwd, open }
  const at = resetAt ?? terminal.now()
  const key = `${flags.client}/${sessionId}/${resetAt ?? fingerprint}/${open.bytes}`
  await withActingQueue(flags, terminal, async ({ queue }) => {
    const earlier = await waitingFor(sessionId, queue)
    if (earlier) await queue.edit(earlier.id, { params, at, mayRepeat: true })
    else await queue.submit(CONTINUE_CAPABILITY, params, { at, key, providers: [flags.client] })
  })
}

/** Most sessions that are looked through. */
const MOST_WAITING = 1_000

async function waitingFor(
  sessionId: string,
  { ledger }: Pick<Queue, 'ledger'>,
): Promise<Operation | undefined> {
  const { items } = await ledger.list(
    { capability: CONTINUE_CAPABILITY, state: ['scheduled', 'parked'] },
    { limit: MOST_WAITING },
  )
  return items.find(({ params }) => (params as Partial<ContinueParams>).sessionId === sessionId)
}

/** The failure that a turn ended with, and when its limit lifts. */
export function failureIn(
  input: HookInput,
  context: Parameters<typeof classify>[1] & { now: number },
): Failure | null {
  // The words are more exact than the type of the error: "high load" is typed as a limit.
  const told = ['last_assistant_message', 'error_details', 'error'].flatMap(name => textOf(input, name) ?? [])
  const failures = (told.length === 0 ? [''] : told).map(words => classifyWords(words, context))
  const failure = failures.find(each => each && each.class !== 'unknown') ?? failures[0] ?? null
  if (failure?.class !== 'throttle') return failure
  const { resets_at_ms: at } = input
  const wait =
    (typeof at === 'number' ? settle({ at }, context.now) : undefined) ??
    resetIn(endOf(textOf(input, 'transcript_path')), context.now)
  return { ...failure, ...wait }
}

/** As the client's own result would say it. */
function classifyWords(words: string, context: Parameters<typeof classify>[1]): Failure | null {
  const result = { type: 'result', subtype: 'success', is_error: true, result: words }
  return classify({ exitCode: 1, stdout: JSON.stringify(result), stderr: '' }, context)
}

/** The last plausible time that the client itself states for a limit in its transcript. */
export function resetIn(transcript: string, now: number): Wait | undefined {
  const rows = transcript.split('\n').flatMap(ownPartOf)
  const stated = [...rows.join('\n').matchAll(/"resetsAt":(\d{10,13})\b/g)].map(([, digits = '']) =>
    settle({ at: digits.length > 10 ? Number(digits) : Number(digits) * 1_000 }, now),
  )
  return stated.findLast(wait => wait !== undefined)
}

/** A row without what a tool, a model or the user wrote, who may state any time. */
function ownPartOf(line: string): string[] {
  try {
    const { type, message: _message, toolUseResult: _result, ...own } = JSON.parse(line)
    return type === 'user' ? [] : [JSON.stringify(own)]
  } catch {
    return []
  }
}

/** More than the last rows of any transcript. */
const END_BYTES = 262_144

function endOf(path: string | undefined): string {
  if (path === undefined) return ''
  try {
    // Opening a pipe would wait for its writer.
    if (!statSync(path).isFile()) return ''
    const file = openSync(path, 'r')
    return cleaningUp(
      () => {
        const { size } = fstatSync(file)
        const bytes = Buffer.alloc(Math.min(size, END_BYTES))
        readSync(file, bytes, 0, bytes.length, Math.max(0, size - END_BYTES))
        return bytes.toString('utf8')
      },
      () => closeSync(file),
    )
  } catch {
    return ''
  }
}
