import { useSignal } from '@preact/signals'
import { KINDS } from '../../../src/failure/failure.ts'
import type { Backtest, Taught, UnknownDetails } from '../api/answers.ts'
import { type ApiProblem, problemOf } from '../api/problem.ts'
import { post } from '../api/request.ts'
import { ClassBadge } from '../part/badge.tsx'
import { Foreign } from '../part/foreign.tsx'
import { Panel } from '../part/panel.tsx'
import { Loading, Trouble } from '../part/standing.tsx'
import { tell, tellProblem } from '../part/toast.tsx'
import { manyOf } from '../words/number.ts'

/** The classes a label can have, and what Mulligan then does. */
const CLASSES = {
  throttle: 'over a limit: use another provider, or wait',
  transient: 'will work again soon: retry',
  timeout: 'a deadline passed',
  permanent: 'fails until something changes: stop',
  rail: 'hit a limit set on purpose: stop',
  aborted: 'cancelled by a person: stop',
} as const

type LabelClass = keyof typeof CLASSES

const WAITS = [
  ['', 'as the failure says'],
  ['60000', '1 minute'],
  ['600000', '10 minutes'],
  ['3600000', '1 hour'],
  ['18000000', '5 hours'],
] as const

/** Labels a failure: the first click previews the effect, the second gives the label. */
export function Teach({ details, onTaught }: { details: UnknownDetails; onTaught: () => void }) {
  const chosen = useSignal<LabelClass | undefined>(undefined)
  const kind = useSignal('')
  const wait = useSignal('')
  const pattern = useSignal<string | undefined>(undefined)
  const taught = useSignal<Taught | undefined>(undefined)
  const problem = useSignal<ApiProblem | undefined>(undefined)
  const isBusy = useSignal(false)
  const path = `/v1/unknowns/${encodeURIComponent(details.fingerprint)}`
  const said = (cls: LabelClass) => ({
    class: cls,
    ...(kind.value === '' ? {} : { kind: kind.value }),
    ...(wait.value === '' ? {} : { retry_after_ms: Number(wait.value) }),
    ...(pattern.value === undefined
      ? {}
      : { pattern: pattern.value.trim() === '' ? false : pattern.value.trim() }),
  })
  const look = async (cls: LabelClass) => {
    if (chosen.value !== cls) {
      kind.value = ''
      if (cls !== 'throttle' && cls !== 'transient') wait.value = ''
    }
    chosen.value = cls
    taught.value = undefined
    problem.value = undefined
    try {
      const found = await post<Taught>(`${path}/preview`, said(cls))
      if (chosen.value === cls) taught.value = found
    } catch (error) {
      problem.value = problemOf(error)
    }
  }
  const give = async (cls: LabelClass, force: boolean) => {
    isBusy.value = true
    try {
      const { parked } = await post<Taught>(`${path}/label`, { ...said(cls), ...(force ? { force } : {}) })
      tell(
        `Labelled as ${cls}; ${parked > 0 ? `${manyOf(parked, 'operation')} ${parked === 1 ? 'continues' : 'continue'}` : 'nothing was waiting for it'}`,
      )
      chosen.value = undefined
      taught.value = undefined
      onTaught()
    } catch (error) {
      tellProblem(error)
    } finally {
      isBusy.value = false
    }
  }
  const cls = chosen.value
  return (
    <Panel title="What is it?">
      <div class="stack">
        <ul class="classes">
          {Object.entries(CLASSES).map(([name, words]) => (
            <li key={name}>
              <button type="button" aria-pressed={name === cls} onClick={() => void look(name as LabelClass)}>
                <ClassBadge of={name} />
                <span class="soft small">{words}</span>
              </button>
            </li>
          ))}
        </ul>
        {problem.value ? <Trouble problem={problem.value} /> : null}
        {cls === undefined ? (
          <p class="soft">Choose a class to preview the effect. Nothing changes yet.</p>
        ) : taught.value ? (
          <>
            <Changes taught={taught.value} details={details} />
            <details class="more">
              <summary class="soft">Say more: kind, wait, signature</summary>
              <div class="fields">
                <label class="field">
                  <span>Kind</span>
                  <select
                    class="input"
                    value={kind.value}
                    onChange={event => {
                      kind.value = event.currentTarget.value
                      void look(cls)
                    }}
                  >
                    <option value="">not said</option>
                    {KINDS[cls].map(each => (
                      <option key={each} value={each}>
                        {each}
                      </option>
                    ))}
                  </select>
                </label>
                {cls === 'throttle' || cls === 'transient' ? (
                  <label class="field">
                    <span>Wait</span>
                    <select
                      class="input"
                      value={wait.value}
                      onChange={event => {
                        wait.value = event.currentTarget.value
                        void look(cls)
                      }}
                    >
                      {WAITS.map(([value, words]) => (
                        <option key={value} value={value}>
                          {words}
                        </option>
                      ))}
                    </select>
                  </label>
                ) : null}
                <label class="field wide">
                  <span>Signature (a pattern; empty for none)</span>
                  <input
                    class="input mono"
                    value={pattern.value ?? taught.value.signature ?? ''}
                    onChange={event => {
                      pattern.value = event.currentTarget.value
                      void look(cls)
                    }}
                  />
                </label>
              </div>
            </details>
            <p>
              <button
                type="button"
                class={taught.value.backtest.flips > 0 ? 'button danger primary' : 'button primary'}
                disabled={isBusy.value}
                onClick={() => void give(cls, (taught.value as Taught).backtest.flips > 0)}
              >
                {taught.value.backtest.flips > 0
                  ? `Label as ${cls} although ${manyOf(taught.value.backtest.flips, 'failure')} would be wrong`
                  : `Label as ${cls}`}
                {taught.value.parked > 0
                  ? ` · ${manyOf(taught.value.parked, 'operation')} ${taught.value.parked === 1 ? 'continues' : 'continue'}`
                  : ''}
              </button>
            </p>
          </>
        ) : problem.value ? null : (
          <Loading />
        )}
      </div>
    </Panel>
  )
}

/** The label's signature, its backtest, and the operations it releases. */
function Changes({
  taught: { signature, backtest, parked },
  details,
}: {
  taught: Taught
  details: UnknownDetails
}) {
  return (
    <dl class="would">
      <div>
        <dt>Signature</dt>
        <dd>
          {signature === null ? (
            <span class="soft">
              none{details.no_signature_because ? `: ${details.no_signature_because}` : ''}; the fingerprint
              alone recognises it
            </span>
          ) : (
            <code>
              <Foreign text={signature} />
            </code>
          )}
        </dd>
      </div>
      <div>
        <dt>Backtest</dt>
        <dd>
          <Tested backtest={backtest} />
        </dd>
      </div>
      <div>
        <dt>What continues</dt>
        <dd>
          {parked > 0
            ? `${manyOf(parked, 'parked operation')} ${parked === 1 ? 'continues' : 'continue'} at once, as this label says; failures like this one are recognised from now on`
            : 'nothing waits now; failures like this one are recognised from now on'}
        </dd>
      </div>
    </dl>
  )
}

function Tested({ backtest: { failures, matched, flips, changes } }: { backtest: Backtest }) {
  return (
    <>
      <span>
        {manyOf(failures, 'known failure')} tried, {matched} matched,{' '}
        {flips === 0 ? 'none would become wrong' : <strong class="wrong">{flips} would become wrong</strong>}
      </span>
      <ul>
        {changes.map(({ from, to, count, is_flip: isFlip, examples }) => (
          <li key={`${from}${to}`}>
            <span class={isFlip ? 'wrong' : 'soft'}>
              {count} × {from} → {to}
            </span>{' '}
            <span class="faint small">
              <Foreign text={examples[0] ?? ''} cut />
            </span>
          </li>
        ))}
      </ul>
    </>
  )
}
