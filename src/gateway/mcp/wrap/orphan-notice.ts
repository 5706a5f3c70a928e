import { present } from '../../../failure/present.ts'
import { redact } from '../../../failure/redact.ts'
import { oneLine } from '../../../failure/text/printable.ts'
import type { Operation } from '../../../ledger/operation.ts'
import { answerOf } from '../../../ledger/writing.ts'
import { expiresAt } from '../../../notice/lifetime.ts'
import type { Queue } from '../../../queue/queue.ts'
import { timeToJson } from '../../../time/time-json.ts'
import { serverOfCall } from './call-capability.ts'
import { toolOf } from './result-tool.ts'

/**
 * Tells of calls that wait while no process can run them, once for each: the session that queued them is gone.
 * @param workspace the folder in which the next session would find them
 */
export async function tellOfOrphans(
  queue: Queue,
  calls: readonly Operation[],
  workspace: string | undefined,
  now: number,
): Promise<void> {
  const waiting = calls.filter(({ state }) => state === 'scheduled')
  if (waiting.length === 0) return
  await queue.ledger.transaction(function* (writes) {
    for (const call of waiting) yield* answerOf(writes.addNotice(noticeOf(call, workspace, now)))
  })
}

function noticeOf(call: Operation, workspace: string | undefined, now: number) {
  const { id, session, capability, failure } = call
  const server = serverOfCall(capability)
  const due = call.state === 'scheduled' ? [`It is due at ${timeToJson(call.dueAt)}.`] : []
  return {
    key: `orphan:${id}`,
    type: 'parked',
    disposition: 'actionable' as const,
    priority: 'normal' as const,
    operation: id,
    ...present({ session, workspace }),
    title: redact(
      oneLine(`A queued call of ${toolOf(call)} waits for a session with the MCP server ${server}`),
    ),
    body: [
      id,
      ...(failure === undefined
        ? []
        : [redact(oneLine(`${failure.class}/${failure.kind}: ${failure.message}`))]),
      ...due,
      `The session that queued it has ended. It runs as soon as a session of the same login has the server ${server} again.`,
      `Its result is there for any of them: the tool mulligan_result with operation_id ${id}, or mulligan ops show ${id}.`,
      `Not wanted any more: mulligan ops cancel ${id}`,
    ].join('\n'),
    expiresAt: expiresAt('actionable', now),
  }
}
