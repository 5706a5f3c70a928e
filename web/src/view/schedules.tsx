import type { Operation, Schedule } from '../api/answers.ts'
import { post } from '../api/request.ts'
import { useResource } from '../live/resource.ts'
import { Badge, StateBadge } from '../part/badge.tsx'
import { Foreign } from '../part/foreign.tsx'
import { Moment } from '../part/moment.tsx'
import { PageHead, Panel } from '../part/panel.tsx'
import { Empty, Shown } from '../part/standing.tsx'
import { Table } from '../part/table.tsx'
import { orTell, tell } from '../part/toast.tsx'
import { go } from '../route/location.ts'
import { cronInWords } from '../words/cron.ts'

const DID: Readonly<Record<string, string>> = {
  submitted: 'Submitted',
  overlapped: 'Skipped: the previous one was still running',
  refused: 'Refused: its parameters do not fit',
  missed: 'Missed: no daemon ran',
}

/** The schedules: the next time of each, and the outcome of the last. */
export function Schedules() {
  const schedules = useResource<{ schedules: Schedule[] }>('/v1/schedules', { everyMs: 30_000 })
  const ids = schedules.value.value?.schedules.flatMap(({ last }) => last?.operation ?? []) ?? []
  const operations = useResource<{ operations: Operation[] }>(
    ids.length === 0 ? undefined : `/v1/operations?${new URLSearchParams(ids.map(id => ['id', id]))}`,
    { when: ({ operation }) => operation !== undefined && ids.includes(operation) },
  )
  const found = new Map(operations.value.value?.operations.map(operation => [operation.id, operation]))
  return (
    <>
      <PageHead title="Schedules" />
      <Panel tight>
        <Shown of={schedules}>
          {({ schedules: all }) =>
            all.length === 0 ? (
              <Empty title="No schedules" command="mulligan config check">
                Add one to mulligan.toml with [[schedule]]: a name, a capability and a cron expression.
              </Empty>
            ) : (
              <Table heads={['Schedule', 'When', 'Next', 'Last']} hasActions>
                {all.map(schedule => (
                  <Row
                    key={schedule.name}
                    schedule={schedule}
                    onChange={schedules.reload}
                    submitted={found.get(schedule.last?.operation ?? '')}
                  />
                ))}
              </Table>
            )
          }
        </Shown>
      </Panel>
    </>
  )
}

function Row({
  schedule: { name, capability, cron, time_zone: zone, enabled, paused, next_at: next, upcoming, last },
  submitted,
  onChange,
}: {
  schedule: Schedule
  onChange: () => void
  /** The operation it submitted last. */
  submitted: Operation | undefined
}) {
  const words = cronInWords(cron)
  return (
    <tr data-row tabIndex={-1}>
      <td>
        <strong class="whole">
          <Foreign text={name} />
        </strong>
        <div class="soft small">
          <a href={`/operations?q=${encodeURIComponent(`capability:${capability}`)}`}>{capability}</a>
        </div>
      </td>
      <td>
        {words ?? <code>{cron}</code>}
        <div class="soft small">
          {words === undefined ? null : <code>{cron}</code>} {zone}
        </div>
      </td>
      <td>
        {!enabled ? (
          <Badge>disabled</Badge>
        ) : paused ? (
          <Paused {...paused} />
        ) : next ? (
          <Moment at={next} as="both" />
        ) : (
          'never again'
        )}
        {upcoming.length > 1 ? (
          <details class="more">
            <summary class="soft small">and then</summary>
            <ol class="soft small">
              {upcoming.slice(1).map(at => (
                <li key={at}>
                  <Moment at={at} as="both" />
                </li>
              ))}
            </ol>
          </details>
        ) : null}
      </td>
      <td>
        {last && DID[last.did] !== undefined ? (
          <>
            {last.operation ? <a href={`/operations/${last.operation}`}>{DID[last.did]}</a> : DID[last.did]}{' '}
            <span class="soft">
              <Moment at={last.at} />
            </span>{' '}
            {submitted ? <StateBadge state={submitted.state} held={submitted.held_by !== undefined} /> : null}
          </>
        ) : (
          <span class="soft">has not run yet</span>
        )}
      </td>
      <td class="number actions">
        {enabled ? (
          <button
            type="button"
            class="button"
            aria-label={`${paused ? 'Resume' : 'Pause'} ${name}`}
            onClick={() => void change(name, paused ? 'resume' : 'pause', onChange)}
          >
            {paused ? 'Resume' : 'Pause'}
          </button>
        ) : null}{' '}
        <button type="button" class="button" onClick={() => void runNow(name)}>
          Run now
        </button>
      </td>
    </tr>
  )
}

function Paused({ at, by, reason }: NonNullable<Schedule['paused']>) {
  return (
    <>
      <Badge>paused</Badge>{' '}
      <span class="soft">
        since <Moment at={at} as="both" />
        {by === undefined ? null : (
          <>
            {' '}
            by <Foreign text={by} />
          </>
        )}
        {reason === undefined ? null : (
          <>
            : <Foreign text={reason} />
          </>
        )}
      </span>
    </>
  )
}

function change(name: string, verb: 'pause' | 'resume', onChange: () => void): Promise<void> {
  return orTell(async () => {
    await post(`/v1/schedules/${encodeURIComponent(name)}/${verb}`)
    tell(
      verb === 'pause'
        ? `${name} is paused: it submits nothing until you resume it`
        : `${name} submits on time again`,
    )
    onChange()
  })
}

function runNow(name: string): Promise<void> {
  return orTell(async () => {
    const { id } = await post<Operation>(`/v1/schedules/${encodeURIComponent(name)}/run`)
    tell(`Submitted as ${id}`)
    go(`/operations/${id}`)
  })
}
