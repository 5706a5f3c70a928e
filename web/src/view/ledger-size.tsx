import { useSignal } from '@preact/signals'
import type { LedgerSize } from '../api/answers.ts'
import { useResource } from '../live/resource.ts'
import { Panel } from '../part/panel.tsx'
import { Shown } from '../part/standing.tsx'
import { bytesInWords } from '../words/number.ts'
import { lengthInWords } from '../words/time.ts'
import { KEPT, RetentionDialog } from './retention.tsx'

const WIDTH = 240
const HEIGHT = 40

/** How large the ledger is, how it grew, and how long history is kept. */
export function LedgerSizePanel() {
  const size = useResource<LedgerSize>('/v1/ledger/size', { when: () => false, everyMs: 60_000 })
  const isChanging = useSignal(false)
  return (
    <Panel
      title="Ledger"
      actions={
        <button
          type="button"
          class="button"
          disabled={size.value.value === undefined}
          onClick={() => {
            isChanging.value = true
          }}
        >
          Change retention …
        </button>
      }
    >
      <Shown of={size}>
        {found => (
          <>
            <p class="ledger-size">
              <strong>{bytesInWords(found.bytes)}</strong>
              <span class="soft">{growthInWords(found)}</span>
              <Line samples={found.samples} />
            </p>
            <dl class="facts">
              {found.retention.map(({ key, after_ms, set_in }) => (
                <div key={key}>
                  <dt>{KEPT[key]}</dt>
                  <dd>
                    kept {lengthInWords(after_ms)}
                    {set_in === 'ledger' ? <span class="soft"> (set in the ledger)</span> : null}
                  </dd>
                </div>
              ))}
            </dl>
            {isChanging.value ? (
              <RetentionDialog
                retention={found.retention}
                onClose={isDone => {
                  isChanging.value = false
                  if (isDone) size.reload()
                }}
              />
            ) : null}
          </>
        )}
      </Shown>
    </Panel>
  )
}

function growthInWords({ bytes, samples }: LedgerSize): string {
  const [first] = samples
  if (first === undefined || samples.length < 2) return ''
  const by = bytes - first.bytes
  const since = `since ${first.at.slice(0, 10)}`
  return by === 0
    ? `unchanged ${since}`
    : `${bytesInWords(Math.abs(by))} ${by > 0 ? 'more' : 'less'} ${since}`
}

/** The sizes over time; its words are beside it. */
function Line({ samples }: { samples: LedgerSize['samples'] }) {
  if (samples.length < 2) return null
  const times = samples.map(({ at }) => Date.parse(at))
  const from = Math.min(...times)
  const span = Math.max(...times) - from || 1
  const most = Math.max(...samples.map(({ bytes }) => bytes), 1)
  const points = samples.map(({ bytes }, index) => {
    const x = (((times[index] as number) - from) / span) * WIDTH
    return `${x.toFixed(1)},${(HEIGHT - 2 - (bytes / most) * (HEIGHT - 4)).toFixed(1)}`
  })
  return (
    <svg class="ledger-line" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <polyline points={points.join(' ')} fill="none" stroke="currentColor" stroke-width="1.5" />
    </svg>
  )
}
