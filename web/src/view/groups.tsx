import { useSignal } from '@preact/signals'
import type { Group } from '../api/answers.ts'
import { post } from '../api/request.ts'
import { now } from '../live/now.ts'
import { useResource } from '../live/resource.ts'
import { Badge } from '../part/badge.tsx'
import { Confirm } from '../part/confirm.tsx'
import { DaemonWords } from '../part/daemon-words.tsx'
import { Foreign } from '../part/foreign.tsx'
import { Moment } from '../part/moment.tsx'
import { PageHead, Panel } from '../part/panel.tsx'
import { Empty, Shown } from '../part/standing.tsx'
import { orTell, tell } from '../part/toast.tsx'
import { manyOf, usdInWords } from '../words/number.ts'
import { paramsInWords } from '../words/params.ts'
import { STEP_TONES, stepInWords } from './workflows.tsx'

/** Groups of agent runs. */
export function Groups() {
  const groups = useResource<{ groups: Group[] }>('/v1/groups', { atMostEveryMs: 2_000, everyMs: 15_000 })
  return (
    <>
      <PageHead
        title="Groups"
        actions={
          <a class="button" href="/start?what=group">
            Start …
          </a>
        }
      />
      <Panel tight>
        <Shown of={groups}>
          {({ groups: all }) =>
            all.length === 0 ? (
              <Empty title="No groups have run" command="mulligan group start NAME">
                A group runs many prompts side by side, within one budget. Define one in mulligan.toml with
                [[group]], then start it here, or by a command:
              </Empty>
            ) : (
              <ul class="unknowns">
                {all.map(group => (
                  <li key={group.name}>
                    <a href={`/groups/${encodeURIComponent(group.name)}`} data-row>
                      <span class="tally-large">
                        <strong>
                          {group.counts.succeeded ?? 0}/{group.runs.length}
                        </strong>
                        <span class="faint small">runs</span>
                      </span>
                      <span class="unknown-text">
                        <strong>
                          <Foreign text={group.name} />
                        </strong>
                        <span class="soft small">
                          <Summary group={group} />
                        </span>
                      </span>
                      <GroupBadge state={group.state} />
                    </a>
                  </li>
                ))}
              </ul>
            )
          }
        </Shown>
      </Panel>
    </>
  )
}

/** One group: the state of each run, and what it waits for. */
export function GroupView({ name }: { name: string }) {
  const group = useResource<Group>(`/v1/groups/${encodeURIComponent(name)}`, {
    atMostEveryMs: 2_000,
    everyMs: 15_000,
  })
  return (
    <Shown of={group} back={['/groups', 'Groups']}>
      {value => (
        <>
          <PageHead
            title={
              <>
                <a class="trail" href="/groups">
                  Groups
                </a>{' '}
                <span class="trail">/</span> <Foreign text={value.name} />
              </>
            }
            actions={
              value.state === 'running' ? <CancelGroup name={value.name} reload={group.reload} /> : undefined
            }
          >
            <GroupBadge state={value.state} />
          </PageHead>
          <Panel title={manyOf(value.runs.length, 'run')} tight>
            <p class="group-summary soft">
              <Summary group={value} />
            </p>
            <ol class="steps">
              {value.runs.map(run => (
                <li key={run.number}>
                  <Badge tone={STEP_TONES[run.state]}>{stepInWords(run.state)}</Badge>
                  <div class="step-text">
                    <p>
                      <strong>{run.number}</strong> <Foreign text={promptOf(run.params)} cut />
                      {run.cost_usd ? <span class="soft"> {usdInWords(run.cost_usd)}</span> : null}
                    </p>
                    {run.waits_for === undefined ? null : (
                      <p class="soft">
                        Waits for <DaemonWords text={run.waits_for} />
                        {run.until ? (
                          <>
                            {' · continues at '}
                            <Moment at={run.until} as="both" />
                          </>
                        ) : null}
                      </p>
                    )}
                    {run.reason === undefined ? null : (
                      <p class="soft">
                        <DaemonWords text={run.reason} />
                      </p>
                    )}
                  </div>
                  <div class="step-actions">
                    <a class="button" href={`/workflows/${run.workflow_run}`}>
                      Workflow run
                    </a>
                    {run.operation === undefined ? null : (
                      <a class="button" href={`/operations/${run.operation}`}>
                        Operation
                      </a>
                    )}
                  </div>
                </li>
              ))}
            </ol>
          </Panel>
        </>
      )}
    </Shown>
  )
}

function CancelGroup({ name, reload }: { name: string; reload: () => void }) {
  const isAsking = useSignal(false)
  const cancel = () =>
    orTell(async () => {
      const { cancelled } = await post<{ cancelled: number }>(`/v1/groups/${encodeURIComponent(name)}/cancel`)
      tell(`${manyOf(cancelled, 'run')} cancelled`)
      reload()
    })
  return (
    <>
      <button
        type="button"
        class="button danger"
        onClick={() => {
          isAsking.value = true
        }}
      >
        Cancel …
      </button>
      {isAsking.value ? (
        <Confirm
          title={`Cancel ${name}`}
          keep="Let it run"
          action="Cancel all runs"
          onClose={isWanted => {
            isAsking.value = false
            if (isWanted) void cancel()
          }}
        >
          <p>Runs that have not ended are cancelled. What has ended stays.</p>
        </Confirm>
      ) : null}
    </>
  )
}

function GroupBadge({ state }: { state: Group['state'] }) {
  return <Badge tone={state === 'running' ? 'rail' : 'aborted'}>{state}</Badge>
}

/** What tells a run from the others: its prompt, or what else it was given. */
function promptOf(params: unknown): string {
  const { prompt } = (params ?? {}) as { prompt?: unknown }
  return typeof prompt === 'string' ? prompt : paramsInWords(params as never)
}

/** What became of its runs, what they cost, and when it should end. */
function Summary({
  group: { counts, cost_usd: cost, max_cost_usd: most, expected_end_at: end },
}: {
  group: Group
}) {
  const states = Object.entries(counts).filter(([, count]) => count > 0)
  return (
    <>
      {states.map(([state, count]) => `${count} ${state.replace('_', ' ')}`).join(', ')}
      {` · ${usdInWords(cost)}${most === undefined ? '' : ` of ${usdInWords(most)}`}`}
      {end === undefined || Date.parse(end) <= now.value ? null : (
        <>
          {' · expected to end '}
          <Moment at={end} />
        </>
      )}
    </>
  )
}
