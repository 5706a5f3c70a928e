import { useSignal } from '@preact/signals'
import type { Notice } from '../api/answers.ts'
import { post } from '../api/request.ts'
import { useResource } from '../live/resource.ts'
import { Badge } from '../part/badge.tsx'
import { Choice } from '../part/choice.tsx'
import { Foreign } from '../part/foreign.tsx'
import { Moment } from '../part/moment.tsx'
import { PageHead, Panel } from '../part/panel.tsx'
import { Empty, Shown } from '../part/standing.tsx'
import { tell, tellProblem } from '../part/toast.tsx'
import { manyOf } from '../words/number.ts'

const WHICH = [
  ['open', 'To act on'],
  ['unread', 'Unread'],
  ['all', 'All'],
] as const

const SEARCH = { open: '&unread=true&disposition=actionable', unread: '&unread=true', all: '' } as const

const TONES: Readonly<Record<Notice['priority'], string>> = {
  urgent: 'permanent',
  high: 'throttle',
  normal: 'transient',
  low: 'aborted',
}

/** Lines of a notice that are always shown. */
const FIRST_LINES = 3

interface Surface {
  name: string
  kind: string
  enabled: boolean
}

/** What people and sessions were told, and where it has got. */
export function Notices() {
  const which = useSignal<'open' | 'unread' | 'all'>('open')
  const notices = useResource<{ notices: Notice[] }>(`/v1/notices?limit=100${SEARCH[which.value]}`, {
    everyMs: 15_000,
  })
  const surfaces = useResource<{ surfaces: Surface[] }>('/v1/surfaces', { when: () => false })
  const read = async (ids: string[]) => {
    try {
      await post('/v1/inbox/read', { ids })
      tell(ids.length === 1 ? 'Marked as read' : `${ids.length} marked as read`)
      notices.reload()
    } catch (error) {
      tellProblem(error)
    }
  }
  const unread = notices.value.value?.notices.filter(({ read_at: at }) => at === undefined) ?? []
  return (
    <>
      <PageHead
        title="Notices"
        actions={
          <>
            <Choice
              label="Which"
              value={which.value}
              options={WHICH}
              onChange={chosen => {
                which.value = chosen
              }}
            />
            <button
              type="button"
              class="button"
              disabled={unread.length === 0}
              onClick={() => void read(unread.map(({ id }) => id))}
            >
              Mark all as read
            </button>
          </>
        }
      />
      <Panel tight>
        <Shown of={notices}>
          {({ notices: all }) =>
            all.length === 0 ? (
              <Empty title={which.value === 'all' ? 'Nobody was told anything yet' : 'Nothing to act on'}>
                A notice is made when an operation dies or waits for a person, and when a provider refuses a
                login or wants to be paid.
              </Empty>
            ) : (
              <ul class="notices">
                {all.map(notice => (
                  <Row key={notice.id} notice={notice} read={read} />
                ))}
              </ul>
            )
          }
        </Shown>
      </Panel>
      <Panel title="Where people are told" tight>
        <Shown of={surfaces}>{({ surfaces: all }) => <Surfaces surfaces={all} />}</Shown>
      </Panel>
    </>
  )
}

function Row({ notice, read }: { notice: Notice; read: (ids: string[]) => Promise<void> }) {
  const { id, event, priority, disposition, title, body, operation, provider, fingerprint, session } = notice
  return (
    <li data-read={notice.read_at !== undefined}>
      <div class="notice-head">
        <Badge tone={TONES[priority]}>{priority}</Badge>
        <strong>
          <Foreign text={title} />
        </strong>
        <span class="soft small">
          <Moment at={notice.created_at} />
        </span>
        {notice.read_at === undefined ? (
          <button
            type="button"
            class="button"
            onClick={() => void read([id])}
            aria-label={`Mark ${id} as read`}
          >
            Read
          </button>
        ) : (
          <span class="faint small">
            read <Moment at={notice.read_at} />
          </span>
        )}
      </div>
      <Body text={body} />
      <p class="small soft links">
        <span>
          {event}, {disposition === 'actionable' ? 'to act on' : 'for information'}
          {session ? (
            <>
              , for <Foreign text={session} />
            </>
          ) : null}
        </span>
        {operation ? <a href={`/operations/${operation}`}>{operation}</a> : null}
        {provider ? <a href={`/providers/${encodeURIComponent(provider)}`}>{provider}</a> : null}
        {fingerprint ? <a href={`/unknowns/${encodeURIComponent(fingerprint)}`}>What is it?</a> : null}
        {notice.deliveries.map(({ id: delivery, surface, state, reason, operation: by }) => (
          <span key={delivery}>
            {by ? <a href={`/operations/${by}`}>{surface}</a> : surface}: {state}
            {reason ? (
              <>
                , <Foreign text={reason} />
              </>
            ) : null}
          </span>
        ))}
      </p>
    </li>
  )
}

/** The first lines of a body; the others on demand. */
function Body({ text }: { text: string }) {
  const lines = text.split('\n')
  const rest = lines.slice(FIRST_LINES)
  return (
    <>
      <p class="soft pre">
        <Foreign text={lines.slice(0, FIRST_LINES).join('\n')} />
      </p>
      {rest.length === 0 ? null : (
        <details class="more">
          <summary class="soft small">{manyOf(rest.length, 'more line')}</summary>
          <p class="soft pre">
            <Foreign text={rest.join('\n')} />
          </p>
        </details>
      )}
    </>
  )
}

function Surfaces({ surfaces }: { surfaces: readonly Surface[] }) {
  const isBusy = useSignal(false)
  const test = async (name: string) => {
    isBusy.value = true
    try {
      const found = await post<{ sent: boolean; message?: string }>(
        `/v1/surfaces/${encodeURIComponent(name)}/test`,
      )
      tell(
        found.sent ? `A test message went to ${name}` : `${name}: ${found.message}`,
        found.sent ? 'done' : 'trouble',
      )
    } catch (error) {
      tellProblem(error)
    } finally {
      isBusy.value = false
    }
  }
  if (surfaces.length === 0)
    return (
      <Empty title="Only here">
        Add [[surface]] to mulligan.toml to be told in a chat, by an issue, a webhook or a program.
      </Empty>
    )
  return (
    <ul class="surfaces">
      {surfaces.map(({ name, kind, enabled }) => (
        <li key={name}>
          <strong>{name}</strong>
          <span class="soft">{kind}</span>
          {enabled ? null : <Badge>disabled</Badge>}
          <button type="button" class="button" disabled={isBusy.value} onClick={() => void test(name)}>
            Send a test
          </button>
        </li>
      ))}
    </ul>
  )
}
