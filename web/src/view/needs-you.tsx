import { useSignal } from '@preact/signals'
import type { Overview } from '../api/answers.ts'
import { post } from '../api/request.ts'
import { Foreign } from '../part/foreign.tsx'
import { Snooze } from '../part/snooze.tsx'
import { orTell, tell } from '../part/toast.tsx'
import type { Query } from '../query/parse.ts'
import { type Need, needsOf } from '../words/needs.ts'
import { manyOf } from '../words/number.ts'
import { visibleText } from '../words/visible.ts'
import { BulkDialog } from './bulk.tsx'

/** Everything that waits for a person, by cause, with the action that helps; a cause that is gone is not listed. */
export function NeedsYou({ overview, reload }: { overview: Overview; reload: () => void }) {
  const retrying = useSignal<Query['filter'] | undefined>(undefined)
  const needs = needsOf(overview)
  if (needs.length === 0 && retrying.value === undefined) return null
  const dismiss = (notice: string) =>
    orTell(async () => {
      const { read } = await post<{ read: number }>('/v1/inbox/read', { like: notice })
      tell(`${manyOf(read, 'notice')} marked as read`)
      reload()
    })
  return (
    <section class="panel needs" aria-labelledby="needs-you">
      <header>
        <h2 id="needs-you">Needs you</h2>
      </header>
      <ul>
        {needs.map(need => (
          <Row
            key={need.key}
            need={need}
            retry={filter => {
              retrying.value = filter
            }}
            dismiss={notice => void dismiss(notice)}
            reload={reload}
          />
        ))}
      </ul>
      {retrying.value === undefined ? null : (
        <BulkDialog
          action="retry"
          filter={retrying.value}
          onClose={isDone => {
            retrying.value = undefined
            if (isDone) reload()
          }}
        />
      )}
    </section>
  )
}

function Row({
  need: { tone, title, detail, message, href, action, retry: filter, isRetryLikely, notice },
  retry,
  dismiss,
  reload,
}: {
  need: Need
  retry: (filter: Query['filter']) => void
  dismiss: (notice: string) => void
  reload: () => void
}) {
  return (
    <li data-tone={tone}>
      <div>
        <strong>
          <Foreign text={title} />
        </strong>
        {message ? (
          <p class="mono">
            <Foreign text={message} cut />
          </p>
        ) : null}
        <p class="soft">{detail}</p>
      </div>
      <div class="need-actions">
        {filter === undefined ? null : (
          <button
            type="button"
            class={isRetryLikely ? 'button primary' : 'button'}
            aria-label={visibleText(`Retry: ${title}`)}
            onClick={() => retry(filter)}
          >
            Retry …
          </button>
        )}
        <a class="button" href={href}>
          {action}
        </a>
        {notice === undefined ? null : <Snooze which={{ like: notice }} title={title} onDone={reload} />}
        {notice === undefined ? null : (
          <button
            type="button"
            class="button quiet"
            aria-label={visibleText(`Mark as read: ${title}`)}
            onClick={() => dismiss(notice)}
          >
            Mark as read
          </button>
        )}
      </div>
    </li>
  )
}
