import { useSignal } from '@preact/signals'
import type { Overview, Unknown } from '../api/answers.ts'
import { useResource } from '../live/resource.ts'
import { Badge } from '../part/badge.tsx'
import { Choice } from '../part/choice.tsx'
import { Foreign } from '../part/foreign.tsx'
import { Moment } from '../part/moment.tsx'
import { PageHead, Panel } from '../part/panel.tsx'
import { Empty, Shown } from '../part/standing.tsx'
import { manyOf } from '../words/number.ts'

const ORDERS = [
  ['recent', 'Most recent'],
  ['count', 'Most frequent'],
] as const

/** Failures that no rule or label matches. */
export function Unknowns() {
  const order = useSignal<'recent' | 'count'>('recent')
  const isAll = useSignal(false)
  const unknowns = useResource<{ unknowns: Unknown[] }>(
    `/v1/unknowns?limit=500${isAll.value ? '&all=true' : ''}`,
    { when: ({ type }) => ['unknown_seen', 'labelled', 'label_withdrawn'].includes(type) },
  )
  const overview = useResource<Overview>('/v1/overview', { atMostEveryMs: 2_000 })
  const waiting = new Map(
    overview.value.value?.unknowns.map(({ fingerprint, parked }) => [fingerprint, parked]),
  )
  return (
    <>
      <PageHead
        title="Unknowns"
        actions={
          <>
            <label class="check">
              <input
                type="checkbox"
                checked={isAll.value}
                onChange={event => {
                  isAll.value = event.currentTarget.checked
                }}
              />
              Include labelled ones
            </label>
            <Choice
              label="Order"
              value={order.value}
              options={ORDERS}
              onChange={chosen => {
                order.value = chosen
              }}
            />
          </>
        }
      />
      <Panel tight>
        <Shown of={unknowns}>
          {({ unknowns: all }) =>
            all.length === 0 ? (
              <Empty title="No unknown failures">
                Failures that no rule or label matches appear here, once per fingerprint, until you label
                them.
              </Empty>
            ) : (
              <ul class="unknowns">
                {[...all]
                  .sort((a, b) =>
                    order.value === 'count'
                      ? b.count - a.count
                      : Date.parse(b.last_seen_at) - Date.parse(a.last_seen_at),
                  )
                  .map(unknown => (
                    <Row
                      key={`${unknown.fingerprint}${unknown.provider}`}
                      unknown={unknown}
                      parked={waiting.get(unknown.fingerprint)}
                    />
                  ))}
              </ul>
            )
          }
        </Shown>
      </Panel>
    </>
  )
}

function Row({
  unknown,
  parked,
}: {
  unknown: Unknown
  /** Operations that wait for its label, if known. */
  parked: number | undefined
}) {
  const { fingerprint, provider, count, first_seen_at: first, last_seen_at: last, samples } = unknown
  return (
    <li>
      <a href={`/unknowns/${encodeURIComponent(fingerprint)}`} data-row>
        <span class="tally-large">
          <strong>{count}</strong>
          <span class="faint small">{count === 1 ? 'time' : 'times'}</span>
        </span>
        <span class="unknown-text">
          <span class="mono">
            <Foreign text={samples.at(-1)?.message ?? fingerprint} cut />
          </span>
          <span class="soft small">
            {provider ?? 'no provider'} · first <Moment at={first} /> · last <Moment at={last} /> ·{' '}
            <span class="mono faint">{fingerprint}</span>
          </span>
        </span>
        {parked === undefined ? null : parked > 0 ? (
          <Badge tone="throttle">{`${manyOf(parked, 'operation')} ${parked === 1 ? 'waits' : 'wait'}`}</Badge>
        ) : (
          <Badge>nothing waits</Badge>
        )}
      </a>
    </li>
  )
}
