import { changeInWords } from '../../../src/daemon/words/change-words.ts'
import { useResource } from '../live/resource.ts'
import { Foreign } from '../part/foreign.tsx'
import { Moment } from '../part/moment.tsx'
import { PageHead, Panel } from '../part/panel.tsx'
import { Empty, Shown } from '../part/standing.tsx'
import { Table } from '../part/table.tsx'
import { pageOfChange } from '../words/change.ts'

interface Change {
  id: number
  at: string
  by: string
  action: string
  subject?: string
  reason?: string
}

/** What was changed, as a way to its page where it has one. */
function Subject({ action, subject }: { action: string; subject: string | undefined }) {
  if (subject === undefined) return null
  const page = pageOfChange(action, subject)
  if (page?.startsWith('/unknowns/'))
    return (
      <a href={page} title={subject}>
        its page
      </a>
    )
  return page === undefined ? (
    <Foreign text={subject} />
  ) : (
    <a href={page}>
      <Foreign text={subject} />
    </a>
  )
}

/** Who changed what. */
export function Audit() {
  const changes = useResource<{ changes: Change[] }>('/v1/audit', {
    when: ({ type }) => type === 'changed',
  })
  return (
    <>
      <PageHead title="Audit" />
      <Panel tight>
        <Shown of={changes}>
          {({ changes: all }) =>
            all.length === 0 ? (
              <Empty title="Nobody has changed anything" command="mulligan audit">
                Every change by a token, a browser, a command or an agent is listed here.
              </Empty>
            ) : (
              <Table heads={['When', 'Who', 'What', 'Reason']}>
                {all.map(({ id, at, by, action, subject, reason }) => (
                  <tr key={id}>
                    <td>
                      <Moment at={at} />
                    </td>
                    <td>
                      <Foreign text={by} />
                    </td>
                    <td>
                      <Foreign text={changeInWords(action, subject)} />{' '}
                      <Subject action={action} subject={subject} />
                    </td>
                    <td>{reason === undefined ? null : <Foreign text={reason} />}</td>
                  </tr>
                ))}
              </Table>
            )
          }
        </Shown>
      </Panel>
    </>
  )
}
