import { useSignal } from '@preact/signals'
import { workInWords } from '../../../src/ledger/work-words.ts'
import type { Status } from '../api/answers.ts'
import { post } from '../api/request.ts'
import { useResource } from '../live/resource.ts'
import { Foreign } from '../part/foreign.tsx'
import { Moment } from '../part/moment.tsx'
import { PageHead, Panel } from '../part/panel.tsx'
import { Empty, Shown } from '../part/standing.tsx'
import { Table } from '../part/table.tsx'
import { orTell, tell } from '../part/toast.tsx'
import { manyOf } from '../words/number.ts'

/** Who runs operations, since when, and what is paused. */
export function Runners() {
  const status = useResource<Status>('/v1/status', { atMostEveryMs: 2_000, everyMs: 10_000 })
  const change = (action: 'pause' | 'resume', capability?: string) =>
    orTell(async () => {
      await post(`/v1/queue/${action}`, capability === undefined ? {} : { capability })
      const what = capability ?? 'The queue'
      tell(action === 'pause' ? `${what} is paused` : `${what} continues`)
      status.reload()
    })
  return (
    <>
      <PageHead title="Runners" />
      <Shown of={status}>
        {value => (
          <>
            <Pauses status={value} change={(action, capability) => void change(action, capability)} />
            <Panel tight title={manyOf(value.runners.length, 'runner')}>
              <List runners={value.runners} />
            </Panel>
          </>
        )}
      </Shown>
    </>
  )
}

function Pauses({
  status: { paused, runners },
  change,
}: {
  status: Status
  change: (action: 'pause' | 'resume', capability?: string) => void
}) {
  const chosen = useSignal('')
  const known = [...new Set(runners.flatMap(({ capabilities }) => capabilities))]
    .filter(name => !paused.capabilities.includes(name))
    .sort()
  return (
    <Panel title="Queue">
      <p>
        {paused.queue
          ? 'The queue is paused: nothing new starts.'
          : 'The queue is running: operations start when they are due.'}
      </p>
      <p class="form-row">
        <button
          type="button"
          class={paused.queue ? 'button primary' : 'button'}
          onClick={() => change(paused.queue ? 'resume' : 'pause')}
        >
          {paused.queue ? 'Resume the queue' : 'Pause the queue'}
        </button>
        <label class="unseen" for="pause-capability">
          Capability to pause
        </label>
        <select
          id="pause-capability"
          class="input"
          value={chosen.value}
          onChange={event => {
            chosen.value = event.currentTarget.value
          }}
        >
          <option value="">Choose a capability</option>
          {known.map(name => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
        <button
          type="button"
          class="button"
          disabled={chosen.value === ''}
          onClick={() => {
            change('pause', chosen.value)
            chosen.value = ''
          }}
        >
          Pause it
        </button>
      </p>
      {paused.capabilities.length === 0 ? null : (
        <ul class="paused">
          {paused.capabilities.map(name => (
            <li key={name}>
              <Foreign text={name} /> is paused{' '}
              <button
                type="button"
                class="button"
                aria-label={`Resume ${name}`}
                onClick={() => change('resume', name)}
              >
                Resume
              </button>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}

/** Most operations listed of one runner; the rest are counted. */
const MOST_RUNNING = 8

/** What a runner runs now, each a way to its page. */
function Running({ runs }: { runs: Status['runners'][number]['running'] }) {
  if (runs.length === 0) return <span class="soft">nothing</span>
  return (
    <>
      {runs.slice(0, MOST_RUNNING).map(({ operation, capability }, index) => (
        <span key={operation}>
          {index === 0 ? '' : ', '}
          <a href={`/operations/${operation}`}>
            <Foreign text={workInWords(capability)} /> <span class="mono small">{operation}</span>
          </a>
        </span>
      ))}
      {runs.length > MOST_RUNNING ? ` and ${runs.length - MOST_RUNNING} more` : ''}
    </>
  )
}

function List({ runners }: { runners: Status['runners'] }) {
  if (runners.length === 0)
    return (
      <Empty title="No runner is running" command="mulligan serve">
        Operations wait until one starts.
      </Empty>
    )
  return (
    <Table heads={['Runner', 'Runs now', 'Can run', 'Since', 'Last seen']}>
      {runners.map(({ id, label, capabilities, started_at: since, seen_at: seen, running }) => (
        <tr key={id} data-row tabIndex={-1}>
          <td>
            <strong>
              <Foreign text={label ?? id} />
            </strong>
            {label === undefined ? null : <div class="soft small mono">{id}</div>}
          </td>
          <td>
            <span class="narrow-only">runs </span>
            <Running runs={running} />
          </td>
          <td class="soft">
            <span class="narrow-only">can run </span>
            <Foreign text={capabilities.map(workInWords).join(', ')} />
          </td>
          <td>
            <span class="narrow-only">since </span>
            <Moment at={since} as="clock" />
          </td>
          <td>
            <span class="narrow-only">seen </span>
            <Moment at={seen} />
          </td>
        </tr>
      ))}
    </Table>
  )
}
