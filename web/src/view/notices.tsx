import { useSignal } from '@preact/signals'
import type { Notice } from '../api/answers.ts'
import { post } from '../api/request.ts'
import { useResource } from '../live/resource.ts'
import { Badge } from '../part/badge.tsx'
import { Choice } from '../part/choice.tsx'
import { PageHead, Panel } from '../part/panel.tsx'
import { Empty, Shown } from '../part/standing.tsx'
import { orTell, tell, tellProblem } from '../part/toast.tsx'
import { NoticeRow } from './notice-row.tsx'

const WHICH = [
  ['open', 'To act on'],
  ['unread', 'Unread'],
  ['all', 'All'],
] as const

const SEARCH = {
  open: '&unread=true&disposition=actionable&expired=false',
  unread: '&unread=true&expired=false',
  all: '',
} as const

const NONE = {
  open: 'Nothing to act on',
  unread: 'Nothing unread',
  all: 'No notices yet',
} as const

interface Surface {
  name: string
  kind: string
  enabled: boolean
  quiet?: string
  time_zone?: string
  buttons: boolean
}

/** Notices to people and sessions, and their deliveries. */
export function Notices() {
  const which = useSignal<'open' | 'unread' | 'all'>('open')
  const notices = useResource<{ notices: Notice[] }>(`/v1/notices?limit=100${SEARCH[which.value]}`, {
    everyMs: 15_000,
  })
  const surfaces = useResource<{ surfaces: Surface[] }>('/v1/surfaces', { when: () => false })
  const read = (ids: string[]) =>
    orTell(async () => {
      await post('/v1/inbox/read', { ids })
      tell(ids.length === 1 ? 'Marked as read' : `${ids.length} marked as read`)
      notices.reload()
    })
  const unread =
    notices.value.value?.notices.filter(each => (each.read_at ?? each.resolved_at) === undefined) ?? []
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
              <Empty title={NONE[which.value]}>
                You get a notice when an operation dies or waits for a person, and when a provider refuses a
                login or requires payment.
              </Empty>
            ) : (
              <ul class="notices">
                {all.map(notice => (
                  <NoticeRow key={notice.id} notice={notice} read={read} reload={notices.reload} />
                ))}
              </ul>
            )
          }
        </Shown>
      </Panel>
      <Panel title="Surfaces" tight>
        <Shown of={surfaces}>{({ surfaces: all }) => <Surfaces surfaces={all} />}</Shown>
      </Panel>
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
        found.sent ? `Test message sent to ${name}` : `${name}: ${found.message}`,
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
      <Empty title="Notices are shown only here">
        Add [[surface]] to mulligan.toml to get notices in a chat, as an issue, by webhook or through a
        program.
      </Empty>
    )
  return (
    <ul class="surfaces">
      {surfaces.map(({ name, kind, enabled, quiet, time_zone, buttons }) => (
        <li key={name}>
          <strong>{name}</strong>
          <span class="soft">
            {[
              kind,
              ...(buttons ? ['with buttons'] : []),
              ...(quiet === undefined ? [] : [`quiet ${quiet.replace('-', ' to ')} ${time_zone}`]),
            ].join(' · ')}
          </span>
          {enabled ? null : <Badge>disabled</Badge>}
          <button type="button" class="button" disabled={isBusy.value} onClick={() => void test(name)}>
            Send test message
          </button>
        </li>
      ))}
    </ul>
  )
}
