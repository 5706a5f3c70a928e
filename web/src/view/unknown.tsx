import { useSignal } from '@preact/signals'
import type { UnknownDetails } from '../api/answers.ts'
import { post } from '../api/request.ts'
import { useResource } from '../live/resource.ts'
import { ClassBadge } from '../part/badge.tsx'
import { Foreign } from '../part/foreign.tsx'
import { Moment } from '../part/moment.tsx'
import { PageHead, Panel } from '../part/panel.tsx'
import { Shown } from '../part/standing.tsx'
import { copy, tell, tellProblem } from '../part/toast.tsx'
import { manyOf, seenInWords } from '../words/number.ts'
import { piecesOfSamples } from '../words/varying.ts'
import { visibleText } from '../words/visible.ts'
import { Teach } from './teach.tsx'

/** One unknown failure: its samples, what waits for it, and its label. */
export function UnknownView({ fingerprint }: { fingerprint: string }) {
  const details = useResource<UnknownDetails>(`/v1/unknowns/${encodeURIComponent(fingerprint)}`, {
    atMostEveryMs: 500,
  })
  return (
    <Shown of={details} back={['/unknowns', 'Unknowns']}>
      {value => (
        <>
          <PageHead
            title={
              <>
                <a class="trail" href="/unknowns">
                  Unknowns
                </a>{' '}
                <span class="trail">/</span>{' '}
                {value.labels.length > 0 ? `A failure labelled ${value.labels[0]?.class}` : 'Unknown failure'}
              </>
            }
            actions={
              <a
                class="button"
                href={`/operations?q=${encodeURIComponent(`fingerprint:${value.fingerprint}`)}`}
              >
                Its operations
              </a>
            }
          >
            <button
              type="button"
              class="button quiet mono"
              onClick={() => copy(value.fingerprint)}
              title="Copy the fingerprint"
            >
              {value.fingerprint}
            </button>
          </PageHead>
          <p class="soft">
            {seenInWords(value.unknowns.reduce((sum, { count }) => sum + count, 0))}
            {value.parked > 0
              ? `; ${manyOf(value.parked, 'operation')} ${value.parked === 1 ? 'waits' : 'wait'} for a label`
              : '; nothing waits for a label now'}
            .
          </p>
          <Samples details={value} />
          <Labels details={value} reload={details.reload} />
          <Teach details={value} onTaught={details.reload} />
        </>
      )}
    </Shown>
  )
}

/** The samples side by side, with the varying parts dimmed. */
function Samples({ details: { unknowns } }: { details: UnknownDetails }) {
  const samples = unknowns.flatMap(({ provider, samples: all }) =>
    all.map(sample => ({ provider, ...sample })),
  )
  const pieces = piecesOfSamples(samples.map(({ message }) => message))
  return (
    <Panel title="Samples">
      <ul class="samples">
        {samples.map(({ provider, at, operation }, index) => (
          <li key={`${provider}${at}${operation}`}>
            <p class="code foreign" dir="auto">
              {pieces[index]?.map(({ text, isVarying }) =>
                isVarying ? <span class="varying">{visibleText(text)}</span> : visibleText(text),
              )}
            </p>
            <p class="soft small">
              {provider ?? 'no provider'} · <Moment at={at} as="both" />
              {operation ? (
                <>
                  {' '}
                  · <a href={`/operations/${operation}`}>{operation}</a>
                </>
              ) : null}
            </p>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

/** Its earlier labels, and labels of similar failures. */
function Labels({
  details: { labels, suggestions },
  reload,
}: {
  details: UnknownDetails
  reload: () => void
}) {
  const isBusy = useSignal(false)
  const withdraw = async (id: string) => {
    isBusy.value = true
    try {
      await post(`/v1/labels/${id}/withdraw`)
      tell('Withdrawn; operations it released are not parked again')
      reload()
    } catch (error) {
      tellProblem(error)
    } finally {
      isBusy.value = false
    }
  }
  if (labels.length === 0 && suggestions.length === 0) return null
  return (
    <Panel title={labels.length > 0 ? 'Labels in force' : 'Labels of similar failures'}>
      <ul class="stack">
        {labels.map(({ id, class: cls, kind, provider, who, why, at, signature }) => (
          <li key={id} class="label">
            <ClassBadge of={cls} {...(kind ? { kind } : {})} />
            <span>
              {provider ?? 'all providers'}, by <Foreign text={who} />, <Moment at={at} />
              {why ? (
                <>
                  : <Foreign text={why} />
                </>
              ) : null}
              {signature ? (
                <code class="soft">
                  {' '}
                  <Foreign text={signature} />
                </code>
              ) : null}
            </span>
            <button type="button" class="button" disabled={isBusy.value} onClick={() => void withdraw(id)}>
              Withdraw
            </button>
          </li>
        ))}
        {labels.length > 0
          ? null
          : suggestions.map(({ similarity, label }) => (
              <li key={label.id} class="label">
                <ClassBadge of={label.class} {...(label.kind ? { kind: label.kind } : {})} />
                <span class="soft">
                  {Math.round(similarity * 100)}% alike:{' '}
                  <a href={`/unknowns/${encodeURIComponent(label.fingerprint)}`} class="mono">
                    {label.fingerprint}
                  </a>
                </span>
              </li>
            ))}
      </ul>
    </Panel>
  )
}
