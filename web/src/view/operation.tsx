import { useSignal } from '@preact/signals'
import { engineInWords } from '../../../src/ledger/engine-words.ts'
import { ENGINE_PREFIX } from '../../../src/ledger/hold-words.ts'
import { sourceInWords } from '../../../src/ledger/source-words.ts'
import { workInWords } from '../../../src/ledger/work-words.ts'
import type { Attempt, LedgerEvent, Operation, Provider } from '../api/answers.ts'
import { get } from '../api/request.ts'
import { now } from '../live/now.ts'
import { useResource } from '../live/resource.ts'
import type { Resource } from '../live/watched.ts'
import { StateBadge } from '../part/badge.tsx'
import { DaemonWords } from '../part/daemon-words.tsx'
import { Excerpt } from '../part/excerpt.tsx'
import { Foreign } from '../part/foreign.tsx'
import { Json } from '../part/json.tsx'
import { Moment } from '../part/moment.tsx'
import { PageHead, Panel } from '../part/panel.tsx'
import { Shown } from '../part/standing.tsx'
import { copy, orTell } from '../part/toast.tsx'
import { usdInWords } from '../words/number.ts'
import { whyInWords } from '../words/why.ts'
import { AttemptView } from './attempt.tsx'
import { OperationActions } from './operation-actions.tsx'
import { Timeline } from './timeline.tsx'

/** One operation: what happened, why it is in its state, and what can be done. */
export function OperationView({ id }: { id: string }) {
  const path = `/v1/operations/${encodeURIComponent(id)}`
  const options = { when: (event: LedgerEvent) => event.operation === id, atMostEveryMs: 500 }
  const operation = useResource<Operation>(path, options)
  const attempts = useResource<{ attempts: Attempt[] }>(`${path}/attempts`, options)
  const timeline = useResource<{ timeline: LedgerEvent[] }>(`${path}/timeline`, options)
  return (
    <Shown of={operation} back={['/operations', 'Operations']}>
      {value => <Told operation={value} resource={operation} attempts={attempts} timeline={timeline} />}
    </Shown>
  )
}

function Told({
  operation,
  resource,
  attempts,
  timeline,
}: {
  operation: Operation
  resource: Resource<Operation>
  attempts: Resource<{ attempts: Attempt[] }>
  timeline: Resource<{ timeline: LedgerEvent[] }>
}) {
  const { id, capability, state, held_by: heldBy } = operation
  return (
    <>
      <PageHead
        title={
          <>
            <a class="trail" href="/operations">
              Operations
            </a>{' '}
            <span class="trail">/</span>{' '}
            <span title={capability}>
              <Foreign text={workInWords(capability)} />
            </span>
          </>
        }
        actions={<OperationActions operation={operation} reload={resource.reload} />}
      >
        <StateBadge state={state} held={heldBy !== undefined} />
        <button type="button" class="button quiet mono" onClick={() => copy(id)} title="Copy the id">
          {id}
        </button>
      </PageHead>
      <section class="panel why" data-state={state} aria-label="Why it is in this state">
        <p class="large">
          <Why operation={operation} />
        </p>
        {operation.reason ? (
          <p class="soft">
            <DaemonWords text={operation.reason} />
          </p>
        ) : null}
        {operation.parked_for === 'label' && operation.failure ? (
          <p>
            <a class="button primary" href={`/unknowns/${encodeURIComponent(operation.failure.fingerprint)}`}>
              Label this failure
            </a>
          </p>
        ) : null}
      </section>
      <Panel title="Timeline">
        <Shown of={timeline}>
          {({ timeline: events }) => (
            <Timeline
              events={events}
              providers={operation.providers}
              attempts={attempts.value.value?.attempts ?? []}
              state={state}
              isHeld={heldBy !== undefined && !heldBy.startsWith(ENGINE_PREFIX)}
            />
          )}
        </Shown>
      </Panel>
      <Shown of={attempts}>
        {({ attempts: tries }) =>
          tries.length === 0 ? null : (
            <Panel title={`Tries (${tries.length})`} tight>
              <ol class="tries">
                {[...tries].reverse().map((attempt, index) => (
                  <AttemptView
                    key={attempt.number}
                    attempt={attempt}
                    isOpen={index === 0}
                    isJob={operation.source === 'engine'}
                  />
                ))}
              </ol>
            </Panel>
          )
        }
      </Shown>
      {state === 'succeeded' ? <Result operation={operation} /> : null}
      <div class="split">
        <Panel title="Parameters">
          <Json value={operation.params} />
        </Panel>
        <Panel title="About it">
          <Facts operation={operation} />
        </Panel>
      </div>
    </>
  )
}

function Why({ operation }: { operation: Operation }) {
  const { held_by: heldBy } = operation
  const holder = useResource<Provider>(
    heldBy === undefined || heldBy.startsWith(ENGINE_PREFIX)
      ? undefined
      : `/v1/providers/${encodeURIComponent(heldBy)}`,
    { everyMs: 10_000 },
  )
  return <>{whyInWords(operation, now.value, holder.value.value?.until)}</>
}

function Facts({ operation }: { operation: Operation }) {
  const facts: [string, preact.ComponentChildren][] = [
    ['Submitted', <Moment key="c" at={operation.created_at} as="both" />],
    ['Submitted through', <Source key="o" operation={operation} />],
    ['Providers', operation.providers.join(', ') || 'none needed'],
    ['Priority', operation.priority],
    ['Runs', operation.run],
    ['Tries', operation.attempts],
    ['Retries left', operation.remaining_retries],
    ['Snoozes', operation.snoozes],
    ['Cost', usdInWords(operation.cost_usd)],
    ...(operation.key && operation.source !== 'cron'
      ? ([[operation.source === 'engine' ? 'Job' : 'Key', <Key key="k" operation={operation} />]] as const)
      : []),
    ...(operation.session ? ([['Session', <Foreign key="s" text={operation.session} />]] as const) : []),
    ...(operation.agent_session
      ? ([['Agent session', <Foreign key="a" text={operation.agent_session} />]] as const)
      : []),
    ...(operation.folder ? ([['Folder', <Foreign key="f" text={operation.folder} />]] as const) : []),
  ].map(([name, value]) => [name as string, value])
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** What submitted it; a schedule by its name, another engine as it calls itself. */
function Source({ operation: { source, key = '', capability } }: { operation: Operation }) {
  const [, schedule] = (source === 'cron' && /^cron (.+) \S+$/.exec(key)) || []
  if (schedule !== undefined)
    return (
      <>
        the schedule{' '}
        <a href="/schedules">
          <Foreign text={schedule} />
        </a>
      </>
    )
  return (
    <>
      {source === 'engine'
        ? engineInWords(capability.slice(ENGINE_PREFIX.length).split('/', 1)[0] ?? '')
        : sourceInWords(source)}
    </>
  )
}

/** Its key; that of a workflow's step is a way to the run, that of a job is its id and when it was made. */
function Key({ operation: { key = '', source } }: { operation: Operation }) {
  if (source === 'engine') return <Foreign text={key.replace(/@\d+$/, '')} />
  const [run] = (source === 'workflow' && /^wf_\d+(?=\/)/.exec(key)) || []
  if (run === undefined) return <Foreign text={key} />
  return (
    <a href={`/workflows/${run}`}>
      <Foreign text={key} />
    </a>
  )
}

function Result({ operation }: { operation: Operation }) {
  const whole = useSignal<{ result: unknown } | undefined>(undefined)
  const value = whole.value ? whole.value.result : operation.result
  const load = () =>
    orTell(async () => {
      whole.value = await get<{ result: unknown }>(`/v1/operations/${operation.id}/result`)
    })
  return (
    <Panel
      title="Result"
      actions={
        operation.result_cut && !whole.value ? (
          <button type="button" class="button" onClick={() => void load()}>
            Load the full result
          </button>
        ) : null
      }
    >
      {value === undefined ? (
        <p class="soft">It returned nothing.</p>
      ) : typeof value === 'string' ? (
        <Excerpt text={value} excerpt="" />
      ) : (
        <Json value={value} />
      )}
    </Panel>
  )
}
