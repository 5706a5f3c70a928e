import type { Operation, Schedule } from '../api/answers.ts'
import { post } from '../api/request.ts'
import { useResource } from '../live/resource.ts'
import { Badge } from '../part/badge.tsx'
import { Foreign } from '../part/foreign.tsx'
import { Moment } from '../part/moment.tsx'
import { PageHead, Panel } from '../part/panel.tsx'
import { Empty, Shown } from '../part/standing.tsx'
import { tell, tellProblem } from '../part/toast.tsx'
import { go } from '../route/location.ts'

const DID: Readonly<Record<string, string>> = {
  submitted: 'submitted',
  overlapped: 'skipped: the one before had not ended',
  refused: 'refused: its parameters do not fit',
  missed: 'missed: no daemon ran',
  begun: 'taken up',
  off: 'switched off',
}

/** What is submitted by the clock: when next, and what came of the last time. */
export function Schedules() {
  const schedules = useResource<{ schedules: Schedule[] }>('/v1/schedules', { everyMs: 30_000 })
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
              <div class="scroll-x">
                <table class="table stacking">
                  <thead>
                    <tr>
                      <th scope="col">Schedule</th>
                      <th scope="col">When</th>
                      <th scope="col">Next</th>
                      <th scope="col">Last</th>
                      <th scope="col">
                        <span class="unseen">Actions</span>
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {all.map(schedule => (
                      <Row key={schedule.name} schedule={schedule} />
                    ))}
                  </tbody>
                </table>
              </div>
            )
          }
        </Shown>
      </Panel>
    </>
  )
}

function Row({
  schedule: { name, capability, cron, time_zone: zone, enabled, next_at: next, last },
}: {
  schedule: Schedule
}) {
  return (
    <tr>
      <td>
        <strong>
          <Foreign text={name} />
        </strong>
        <div class="soft small">
          <a href={`/operations?q=${encodeURIComponent(`capability:${capability}`)}`}>{capability}</a>
        </div>
      </td>
      <td>
        <code>{cron}</code>
        <div class="soft small">{zone}</div>
      </td>
      <td>{next && enabled ? <Moment at={next} as="both" /> : <Badge>disabled</Badge>}</td>
      <td>
        {last ? (
          <>
            {last.operation ? (
              <a href={`/operations/${last.operation}`}>{DID[last.did] ?? last.did}</a>
            ) : (
              (DID[last.did] ?? last.did)
            )}{' '}
            <span class="soft">
              <Moment at={last.at} />
            </span>
          </>
        ) : (
          <span class="soft">never yet</span>
        )}
      </td>
      <td class="number">
        <button type="button" class="button" onClick={() => void runNow(name)}>
          Run now
        </button>
      </td>
    </tr>
  )
}

async function runNow(name: string): Promise<void> {
  try {
    const { id } = await post<Operation>(`/v1/schedules/${encodeURIComponent(name)}/run`)
    tell(`Submitted as ${id}`)
    go(`/operations/${id}`)
  } catch (error) {
    tellProblem(error)
  }
}
