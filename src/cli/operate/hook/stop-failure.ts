import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { classify } from '../../../failure/classify.ts'
import type { Failure } from '../../../failure/failure.ts'
import { cleaningUp } from '../../../time/clean-up.ts'
import { circumstancesOf } from '../../../verdict/circumstances.ts'
import { markOf } from '../../../verdict/decide.ts'
import { withActingRuntime } from '../../runtime/runtime.ts'
import { type Hook, type HookInput, textOf } from './hook.ts'

/** Records why a turn ended, so that every other agent of this login knows. */
export const stopFailure: Hook = async (input, flags, terminal) => {
  const { client } = flags
  await withActingRuntime(flags, terminal, {}, async ({ health, policy, classify: context }) => {
    const now = terminal.now()
    const failure = failureIn(input, { ...context, provider: client, now })
    if (!failure) return 0
    const permit = await health.madeElsewhere(client)
    permit.failed(failure, markOf(failure, circumstancesOf({ now, durable: true }), [policy]))
    return 0
  })
}

/** The failure that a turn ended with, and when its limit lifts. */
export function failureIn(
  input: HookInput,
  context: Parameters<typeof classify>[1] & { now: number },
): Failure | null {
  const said = textOf(input, 'last_assistant_message') ?? textOf(input, 'error_details')
  const error = textOf(input, 'error')
  // As its own result would say it: the error is typed, the words are the client's.
  const result = { type: 'result', subtype: 'success', is_error: true, result: said ?? error ?? '' }
  const failure = classify({ exitCode: 1, stdout: JSON.stringify(result), stderr: '' }, context)
  if (failure?.class !== 'throttle') return failure
  const { resets_at_ms: told } = input
  const resetAt =
    typeof told === 'number' && told > context.now
      ? told
      : resetIn(endOf(textOf(input, 'transcript_path')), context.now)
  return resetAt === undefined ? failure : { ...failure, resetAt, retryAfterMs: resetAt - context.now }
}

/** The last time that a transcript states for a limit, in epoch milliseconds; undefined if it has passed. */
export function resetIn(transcript: string, now: number): number | undefined {
  const stated = [...transcript.matchAll(/"resetsAt":\s*(\d{10,13})\b/g)].at(-1)?.[1]
  if (stated === undefined) return undefined
  const at = stated.length > 10 ? Number(stated) : Number(stated) * 1_000
  return at > now ? at : undefined
}

/** More than the last rows of any transcript. */
const END_BYTES = 262_144

function endOf(path: string | undefined): string {
  if (path === undefined) return ''
  try {
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
