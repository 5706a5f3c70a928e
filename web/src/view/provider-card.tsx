import type { Provider } from '../api/answers.ts'
import { now } from '../live/now.ts'
import { Badge } from '../part/badge.tsx'
import { DaemonWords } from '../part/daemon-words.tsx'
import { Meter } from '../part/meter.tsx'
import { Moment } from '../part/moment.tsx'
import { manyOf } from '../words/number.ts'
import { providerInWords } from '../words/surface.ts'

/** Whether a provider can serve, if not why and until when, what waits for it, and how full its windows are. */
export function ProviderCard({ provider, waiting }: { provider: Provider; waiting: number }) {
  const { id, quota, windows, until, blocks, admits, breaker } = provider
  const [block] = blocks
  const reason = block?.failure.message ?? (breaker.state === 'closed' ? provider.reason : undefined)
  return (
    <article class="panel provider-card" aria-label={`Provider ${providerInWords(id)}`}>
      <header>
        <h2>
          <a href={`/providers/${encodeURIComponent(id)}`} title={id}>
            {providerInWords(id)}
          </a>
        </h2>
        {quota === id ? null : <span class="soft small">quota {quota}</span>}
        <div class="actions">
          <Standing provider={provider} />
        </div>
      </header>
      <div class="body">
        {until ? (
          <p class="countdown">
            <strong>
              <Moment at={until} past="any moment" />
            </strong>
            <span class="soft">
              {backInWords(provider)}
              {Date.parse(until) <= now.value ? null : (
                <>
                  {' at '}
                  <Moment at={until} as="clock" />
                </>
              )}
            </span>
          </p>
        ) : null}
        {reason && !admits ? (
          <p class="soft clamp">
            <DaemonWords text={reason} />
          </p>
        ) : null}
        {admits && provider.login_refused ? <p class="soft">{TESTS_LOGIN}</p> : null}
        {waiting > 0 ? (
          <p>
            <a href={`/operations?q=${encodeURIComponent(`state:scheduled provider:${id}`)}`}>
              {manyOf(waiting, 'operation')} {waiting === 1 ? 'waits' : 'wait'} for it
            </a>
          </p>
        ) : null}
        <p class="soft small">
          <BreakerWords provider={provider} />
          {block && !admits ? (
            <>
              {' · refusing since '}
              <Moment at={block.from} as="clock" />
            </>
          ) : null}
        </p>
        {windows.map(use => (
          <Meter key={`${use.window}:${use.unit}`} use={use} />
        ))}
        {windows.length === 0 ? <p class="soft small">No caps are set, and it reports no windows.</p> : null}
      </div>
    </article>
  )
}

/** What a refused login is good for, when its wait has ended. */
export const TESTS_LOGIN = 'The next call tests its login.'

/** What happens when a provider's block ends: a refused login or an open breaker is only tested then. */
export function backInWords({ login_refused: isLogin, breaker }: Provider): string {
  return isLogin || breaker.state !== 'closed' ? 'is tried again' : 'serves again'
}

/** The state of a provider's breaker. */
export function BreakerWords({ provider: { breaker, until } }: { provider: Provider }) {
  if (breaker.state === 'closed') return <>Breaker closed</>
  return (
    <>
      {breaker.state === 'open'
        ? 'Breaker open after too many failures'
        : 'Breaker half open: one call may go through'}
      {breaker.until && breaker.until !== until ? (
        <>
          {', until '}
          <Moment at={breaker.until} as="both" />
        </>
      ) : null}
    </>
  )
}

/** The state of a provider, in a word. */
export function Standing({ provider }: { provider: Provider }) {
  const { admits, paused, login_refused: isLogin, breaker } = provider
  if (paused) return <Badge tone="throttle">paused</Badge>
  if (isLogin) return <Badge tone="permanent">login refused</Badge>
  if (breaker.state === 'open') return <Badge tone="permanent">breaker open</Badge>
  if (!admits) return <Badge tone="throttle">cannot serve</Badge>
  return <Badge tone="good">can serve</Badge>
}
