import type { Overview } from '../api/answers.ts'
import { remembered } from '../live/remembered.ts'
import { Choice } from '../part/choice.tsx'
import { Panel } from '../part/panel.tsx'
import { Empty } from '../part/standing.tsx'
import { countInWords, manyOf } from '../words/number.ts'
import { clockInWords, exactInWords, lengthInWords } from '../words/time.ts'

const AHEAD = [
  [600_000, '10 min'],
  [3_600_000, '1 h'],
  [86_400_000, '24 h'],
  [7 * 86_400_000, '7 d'],
] as const

/** How far ahead the agenda reaches, in milliseconds. */
export const ahead = remembered(
  'ahead',
  AHEAD.map(([ms]) => ms),
  3_600_000,
)

/** When operations come due: a bar per step, and the next times of schedules. */
export function Agenda({ overview }: { overview: Overview }) {
  const { agenda, status } = overview
  const from = Date.parse(agenda.from)
  const length = agenda.step_ms * agenda.due.length
  const most = Math.max(4, ...agenda.due)
  const schedules = status.schedules.flatMap(({ name, next_at: next }) => {
    const at = next === null ? Number.NaN : Date.parse(next)
    return at >= from && at < from + length ? [{ name, at }] : []
  })
  const isEmpty = agenda.due.every(count => count === 0) && schedules.length === 0
  const summary = [
    ...(status.due > 0 ? [`${countInWords(status.due)} due now`] : []),
    ...(agenda.later > 0 ? [`${countInWords(agenda.later)} later`] : []),
    ...(status.held > 0 ? [`${countInWords(status.held)} held for a provider or by another engine`] : []),
  ].join(' · ')
  return (
    <Panel
      title="Coming due"
      actions={
        <Choice
          label="How far ahead"
          value={ahead.value}
          options={AHEAD}
          onChange={chosen => {
            ahead.value = chosen
          }}
        />
      }
    >
      {isEmpty ? (
        <Empty title="Nothing comes due in this time">{summary || 'New operations run at once.'}</Empty>
      ) : (
        <figure class="agenda">
          <ol>
            {agenda.due.map((count, step) => {
              const at = from + step * agenda.step_ms
              return (
                <li
                  key={step}
                  title={count > 0 ? `${manyOf(count, 'operation')}, ${exactInWords(at)}` : undefined}
                >
                  {count > 0 ? <i style={{ height: `${Math.max(6, (count / most) * 100)}%` }} /> : null}
                </li>
              )
            })}
          </ol>
          <div class="marks">
            {schedules.map(({ name, at }) => (
              <a
                key={name}
                href="/schedules"
                style={{ left: `${((at - from) / length) * 100}%` }}
                title={`${name}: ${exactInWords(at)}`}
              >
                <span class="unseen">{`Schedule ${name} in ${lengthInWords(at - from)}`}</span>
              </a>
            ))}
          </div>
          <div class="axis" aria-hidden="true">
            {[0, 0.25, 0.5, 0.75, 1].map(share => (
              <span key={share}>{share === 0 ? 'now' : clockInWords(from + share * length, from)}</span>
            ))}
          </div>
          <figcaption class="soft small">
            {manyOf(
              agenda.due.reduce((sum, count) => sum + count, 0),
              'operation',
            )}{' '}
            within {lengthInWords(length)}
            {schedules.length > 0 ? ` · ◆ ${manyOf(schedules.length, 'schedule')}` : ''}
            {summary ? ` · ${summary}` : ''}
          </figcaption>
        </figure>
      )}
    </Panel>
  )
}
