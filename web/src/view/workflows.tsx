import { useSignal } from '@preact/signals'
import { groupOfWorkflow } from '../../../src/workflow/group-name.ts'
import type { Step, WorkflowRun } from '../api/answers.ts'
import { useResource } from '../live/resource.ts'
import { Badge } from '../part/badge.tsx'
import { Choice } from '../part/choice.tsx'
import { DaemonWords } from '../part/daemon-words.tsx'
import { Foreign } from '../part/foreign.tsx'
import { Moment } from '../part/moment.tsx'
import { PageHead, Panel } from '../part/panel.tsx'
import { Empty, Shown } from '../part/standing.tsx'
import { paramsInWords } from '../words/params.ts'

const WHICH = [
  ['running', 'Under way'],
  ['all', 'All'],
] as const

const RUN_TONES: Readonly<Record<WorkflowRun['status'], string>> = {
  running: 'rail',
  blocked: 'throttle',
  succeeded: 'good',
  failed: 'permanent',
  cancelled: 'aborted',
}

/** Colours of the states of steps. */
export const STEP_TONES: Readonly<Record<Step['state'], string>> = {
  pending: 'aborted',
  ready: 'transient',
  running: 'rail',
  retry_pending: 'throttle',
  waiting: 'throttle',
  succeeded: 'good',
  failed: 'permanent',
  skipped: 'aborted',
}

/** The state of a step in words. */
export function stepInWords(state: Step['state']): string {
  return state.replace('_', ' ')
}

/** The state of a run. */
export function RunBadge({ status }: { status: WorkflowRun['status'] }) {
  return <Badge tone={RUN_TONES[status]}>{status === 'blocked' ? 'waiting' : status}</Badge>
}

/** Workflow runs, and what each waits for. */
export function Workflows() {
  const which = useSignal<'running' | 'all'>('all')
  const runs = useResource<{ runs: WorkflowRun[] }>(
    `/v1/workflow_runs?limit=100${which.value === 'running' ? '&state=running' : ''}`,
    { everyMs: 15_000 },
  )
  const known = useResource<{ workflows: { name: string }[] }>('/v1/workflows', { when: () => false })
  const name = known.value.value?.workflows[0]?.name
  return (
    <>
      <PageHead
        title="Workflows"
        actions={
          <Choice
            label="Which"
            value={which.value}
            options={WHICH}
            onChange={chosen => {
              which.value = chosen
            }}
          />
        }
      />
      <Panel tight>
        <Shown of={runs}>
          {({ runs: all }) =>
            all.length === 0 ? (
              <Empty title="No runs" command={`mulligan workflow start ${name ?? 'NAME'}`}>
                A workflow has steps that depend on each other. Define one in mulligan.toml with [[workflow]],
                then start it:
              </Empty>
            ) : (
              <ul class="unknowns">
                {all.map(run => (
                  <Row key={run.id} run={run} />
                ))}
              </ul>
            )
          }
        </Shown>
      </Panel>
    </>
  )
}

function Row({ run }: { run: WorkflowRun }) {
  const done = run.steps.filter(({ state }) => state === 'succeeded' || state === 'skipped').length
  const waits = run.steps.filter(({ state, waits_for: wait }) => wait && state !== 'pending')
  // What waits for a person comes first: the rest goes on by itself.
  const waiting = waits.find(({ question }) => question !== undefined) ?? waits[0]
  const group = groupOfWorkflow(run.workflow)
  // What a group was given stands with its runs.
  const params = group === undefined ? paramsInWords(run.params) : ''
  return (
    <li>
      <a href={`/workflows/${run.id}`} data-row>
        <span class="tally-large">
          <strong>
            {done}/{run.steps.length}
          </strong>
          <span class="faint small">{group === undefined ? 'steps' : 'runs'}</span>
        </span>
        <span class="unknown-text">
          <strong>
            <Foreign text={group ?? run.workflow} /> {group === undefined ? null : <Badge>group</Badge>}{' '}
            <span class="faint mono small">{run.id}</span>
          </strong>
          {params === '' ? null : (
            <span class="small">
              <Foreign text={params} cut />
            </span>
          )}
          <span class="soft small">
            started <Moment at={run.created_at} />
            {waiting ? (
              <>
                {' '}
                · <Foreign text={waiting.id} /> waits for <DaemonWords text={waiting.waits_for?.what ?? ''} />
                {waiting.waits_for?.until ? (
                  <>
                    {' · continues '}
                    <Moment at={waiting.waits_for.until} />
                  </>
                ) : null}
              </>
            ) : null}
          </span>
        </span>
        <RunBadge status={run.status} />
      </a>
    </li>
  )
}
