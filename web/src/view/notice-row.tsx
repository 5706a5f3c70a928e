import type { Notice } from '../api/answers.ts'
import { now } from '../live/now.ts'
import { Badge } from '../part/badge.tsx'
import { DaemonWords } from '../part/daemon-words.tsx'
import { Foreign } from '../part/foreign.tsx'
import { Moment } from '../part/moment.tsx'
import { Snooze } from '../part/snooze.tsx'
import { bodyOf } from '../words/notice-body.ts'
import { titleInWords } from '../words/notice-title.ts'
import { providerInWords } from '../words/surface.ts'
import { visibleText } from '../words/visible.ts'

const TONES: Readonly<Record<Notice['priority'], string>> = {
  urgent: 'permanent',
  high: 'throttle',
  normal: 'transient',
  low: 'aborted',
}

/** One notice: what happened, where to act on it, and where it was sent. */
export function NoticeRow({
  notice,
  read,
  reload,
}: {
  notice: Notice
  read: (ids: string[]) => Promise<void>
  reload: () => void
}) {
  const { id, priority, title, session, preview, provider } = notice
  const { run, lines, more, isMore } = bodyOf(notice.body)
  const [href, action] = placeOf(notice, run)
  const isDone = notice.read_at !== undefined || notice.resolved_at !== undefined
  const isSnoozed =
    !isDone && notice.snoozed_until !== undefined && Date.parse(notice.snoozed_until) > now.value
  return (
    <li data-read={isDone} data-row tabIndex={-1}>
      <div class="notice-head">
        <Badge tone={TONES[priority]}>{priority}</Badge>
        <strong>
          <Foreign text={titleInWords(title, Date.parse(notice.created_at))} />
        </strong>
        <span class="soft small">
          <Moment at={notice.created_at} />
        </span>
      </div>
      <div class="notice-text">
        {lines.map(line => (
          <p key={line} class="soft">
            <DaemonWords text={line} />
          </p>
        ))}
        {preview ? (
          <p class="mono small clamp">
            <Foreign text={preview} />
          </p>
        ) : null}
        {more.length > 0 ? (
          <details class="more">
            <summary class="soft small">{isMore ? 'More' : 'In a terminal'}</summary>
            <p class="soft pre">
              <DaemonWords text={more.join('\n')} />
            </p>
          </details>
        ) : null}
        <p class="small soft links">
          {session ? (
            <span>
              for <Foreign text={session} />
            </span>
          ) : null}
          {provider ? (
            <a href={`/providers/${encodeURIComponent(provider)}`}>{providerInWords(provider)}</a>
          ) : null}
          {notice.deliveries.map(({ id: delivery, surface, state, reason, operation: by }) => (
            <span key={delivery}>
              {by ? <a href={`/operations/${by}`}>{surface}</a> : surface}: {state}
              {reason ? (
                <>
                  , <DaemonWords text={reason} />
                </>
              ) : null}
            </span>
          ))}
          {notice.resolved_at === undefined ? null : (
            <span>
              resolved <Moment at={notice.resolved_at} />
              {notice.resolution === undefined ? null : (
                <>
                  , <Foreign text={notice.resolution} />
                </>
              )}
            </span>
          )}
          {isSnoozed && notice.snoozed_until !== undefined ? (
            <span>
              snoozed until <Moment at={notice.snoozed_until} as="clock" />
            </span>
          ) : null}
          {notice.read_at === undefined ? null : (
            <span>
              read <Moment at={notice.read_at} />
              {notice.read_by === undefined || notice.read_by === 'a person' ? null : (
                <>
                  {' '}
                  by <Foreign text={notice.read_by} />
                </>
              )}
            </span>
          )}
        </p>
      </div>
      <div class="notice-actions">
        {href === undefined ? null : (
          <a class="button" href={href}>
            {action}
          </a>
        )}
        {isDone || isSnoozed || notice.disposition !== 'actionable' ? null : (
          <Snooze which={{ ids: [id] }} title={title} onDone={reload} />
        )}
        {isDone ? null : (
          <button
            type="button"
            class="button quiet"
            onClick={() => void read([id])}
            aria-label={`Mark as read: ${visibleText(title)}`}
          >
            Mark as read
          </button>
        )}
      </div>
    </li>
  )
}

/** Where to act on a notice, and the name of that link. */
function placeOf(
  { operation, fingerprint, provider }: Notice,
  run: string | undefined,
): readonly [string, string] | readonly [undefined, ''] {
  if (operation !== undefined) return [`/operations/${operation}`, 'Open the operation']
  if (run !== undefined) return [`/workflows/${run}`, 'Open the run']
  if (fingerprint !== undefined) return [`/unknowns/${encodeURIComponent(fingerprint)}`, 'Label it']
  if (provider !== undefined) return [`/providers/${encodeURIComponent(provider)}`, 'Open the provider']
  return [undefined, '']
}
