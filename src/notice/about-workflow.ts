import { present } from '../failure/present.ts'
import { redact } from '../failure/redact.ts'
import { oneLine } from '../failure/text/printable.ts'
import type { EventType, LedgerEvent } from '../ledger/event.ts'
import type { NewNotice } from '../ledger/notice.ts'
import type { WorkflowRun } from '../ledger/workflow-run.ts'
import { groupOfWorkflow } from '../workflow/group-name.ts'
import { expiresAt } from './lifetime.ts'
import { type Weight, WORKFLOW_ASKS, WORKFLOW_ENDED, WORKFLOW_FAILED, WORKFLOW_IDLE } from './weight.ts'

/** Events of workflow runs that may need a notice, or resolve one. */
export const WORKFLOW_EVENTS: readonly EventType[] = [
  'workflow_asked',
  'workflow_changed',
  'workflow_idle',
  'workflow_ended',
]

/** The cause of the notices about a workflow run, or about the question of one of its steps. */
export function workflowCauseOf(run: string, step?: string): string {
  return `workflow:${run}${step === undefined ? '' : `:${step}`}`
}

/** The run that an event is about; undefined for any other event. */
export function workflowRunOf({ type, data }: LedgerEvent): string | undefined {
  return WORKFLOW_EVENTS.includes(type) && typeof data?.workflow_run === 'string'
    ? data.workflow_run
    : undefined
}

/** The notices about a workflow run: for the session that started it, or for people if it has none. */
export function noticesAboutWorkflow(event: LedgerEvent, run: WorkflowRun): NewNotice[] {
  const { id } = run
  const workflow = groupOfWorkflow(run.workflow) ?? run.workflow
  const { data = {} } = event
  const look = `Details: mulligan workflow show ${id}`
  switch (event.type) {
    case 'workflow_asked':
      return [
        {
          ...notice(event, run, WORKFLOW_ASKS, `${workflow} waits for an answer: ${data.step}`, [
            ...(typeof data.question === 'string' ? [data.question] : []),
            look,
            `Answer: mulligan workflow advance ${id} ${data.step} --result JSON`,
          ]),
          cause: workflowCauseOf(id, String(data.step)),
        },
      ]
    case 'workflow_idle':
      return [notice(event, run, WORKFLOW_IDLE, `${workflow} has made no progress for 24 hours`, [look])]
    case 'workflow_ended': {
      const why = typeof data.reason === 'string' ? [data.reason] : []
      if (data.state === 'failed')
        return [
          notice(event, run, WORKFLOW_FAILED, `${workflow} failed`, [
            ...why,
            look,
            `Once the cause is fixed: mulligan workflow retry ${id}`,
          ]),
        ]
      // A caller that waits for the run gets the end from the call; people need not know.
      if (run.session === undefined) return []
      return [
        {
          ...notice(event, run, WORKFLOW_ENDED, `${workflow} ${data.state}`, [...why, look]),
          readAt: event.at,
        },
      ]
    }
    default:
      return []
  }
}

function notice(
  { id, at }: LedgerEvent,
  { id: run, session }: WorkflowRun,
  weight: Weight,
  title: string,
  lines: readonly string[],
): NewNotice {
  return {
    key: `event:${id}`,
    event: id,
    type: 'workflow',
    ...weight,
    ...present({ session }),
    cause: workflowCauseOf(run),
    title: redact(oneLine(title)),
    body: [run, ...lines].map(line => redact(oneLine(line))).join('\n'),
    expiresAt: expiresAt(weight.disposition, at),
  }
}
