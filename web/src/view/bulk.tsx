import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { BulkAction, Preview } from '../api/answers.ts'
import { type ApiProblem, problemOf } from '../api/problem.ts'
import { post } from '../api/request.ts'
import { StateBadge } from '../part/badge.tsx'
import { Dialog } from '../part/dialog.tsx'
import { Foreign } from '../part/foreign.tsx'
import { Loading, Trouble } from '../part/standing.tsx'
import { tell, tellProblem } from '../part/toast.tsx'
import type { Query } from '../query/parse.ts'
import { manyOf } from '../words/number.ts'

/** What an outcome means for so many operations. */
const OUTCOMES: Readonly<Record<string, string>> = {
  revived: 'start afresh, history kept',
  unparked: 'go on: what they waited for counts as there',
  hastened: 'run now instead of later',
  cancelled: 'end as cancelled',
  requested: 'run now: their runners are asked to end them',
  discarded: 'are deleted with their history',
  none: 'stay as they are',
}

const TITLES: Record<BulkAction, string> = {
  retry: 'Retry operations',
  cancel: 'Cancel operations',
  discard: 'Discard operations',
}

/** Says exactly what would happen to all that match, and does it. */
export function BulkDialog({
  action,
  filter,
  onClose,
}: {
  action: BulkAction
  filter: Query['filter']
  /** Whether anything was done. */
  onClose: (done: boolean) => void
}) {
  const preview = useSignal<Preview | undefined>(undefined)
  const problem = useSignal<ApiProblem | undefined>(undefined)
  const isDoing = useSignal(false)
  const look = async () => {
    problem.value = undefined
    try {
      preview.value = await post<Preview>('/v1/operations/bulk/preview', { action, filter })
    } catch (error) {
      problem.value = problemOf(error)
    }
  }
  useEffect(() => void look(), [])
  const apply = async () => {
    isDoing.value = true
    try {
      const { counts, left } = await post<{ counts: Record<string, number>; left: string[] }>(
        '/v1/operations/bulk/apply',
        { token: preview.value?.token },
      )
      const done = Object.entries(counts)
        .filter(([outcome, count]) => count > 0 && outcome !== 'none')
        .map(([outcome, count]) => `${count} ${outcome}`)
      const rest = left.length > 0 ? `; ${left.length} changed meanwhile and were left alone` : ''
      tell(`${done.join(', ') || 'Nothing was changed'}${rest}`)
      onClose(true)
    } catch (error) {
      tellProblem(error)
      onClose(false)
    }
  }
  const found = preview.value
  const concerned = found ? found.total - (found.counts.none ?? 0) : 0
  const word = `${action[0]?.toUpperCase()}${action.slice(1)}`
  return (
    <Dialog
      title={TITLES[action]}
      onClose={() => onClose(false)}
      onSubmit={() => void apply()}
      footer={
        <>
          <button type="button" class="button" onClick={() => onClose(false)}>
            Keep as it is
          </button>
          <button
            type="submit"
            class={action === 'retry' ? 'button primary' : 'button danger primary'}
            disabled={concerned === 0 || isDoing.value}
          >
            {found ? `${word} ${manyOf(concerned, 'operation')}` : word}
          </button>
        </>
      }
    >
      {problem.value ? <Trouble problem={problem.value} again={() => void look()} /> : null}
      {found ? <Told preview={found} /> : problem.value ? null : <Loading />}
    </Dialog>
  )
}

function Told({ preview: { total, counts, operations } }: { preview: Preview }) {
  const outcomes = Object.entries(counts).filter(([, count]) => count > 0)
  return (
    <>
      <p class="soft">
        {manyOf(total, 'operation')} {total === 1 ? 'matches' : 'match'}. Nothing has been changed yet.
      </p>
      <ul class="outcomes">
        {outcomes.map(([outcome, count]) => (
          <li key={outcome}>
            <strong>{count}</strong> <span>{OUTCOMES[outcome] ?? outcome}</span>
          </li>
        ))}
      </ul>
      <ul class="previewed">
        {operations.slice(0, 50).map(({ id, capability, state, outcome }) => (
          <li key={id}>
            <StateBadge state={state} />
            <Foreign text={capability} cut />
            <span class="faint mono">{id}</span>
            <span class="soft">{outcome === 'none' ? 'unchanged' : outcome}</span>
          </li>
        ))}
        {total > 50 ? <li class="faint">and {manyOf(total - 50, 'more', 'more')}</li> : null}
      </ul>
    </>
  )
}
