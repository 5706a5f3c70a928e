import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { workInWords } from '../../../src/ledger/work-words.ts'
import type { BulkAction, Preview } from '../api/answers.ts'
import { type ApiProblem, problemOf } from '../api/problem.ts'
import { post } from '../api/request.ts'
import { StateBadge } from '../part/badge.tsx'
import { Dialog } from '../part/dialog.tsx'
import { Foreign } from '../part/foreign.tsx'
import { Loading, Trouble } from '../part/standing.tsx'
import { tell, tellProblem } from '../part/toast.tsx'
import type { Query } from '../query/parse.ts'
import { countInWords, manyOf } from '../words/number.ts'

/** What an outcome means, after a count. */
const OUTCOMES: Readonly<Record<string, string>> = {
  revived: 'to run again, history kept',
  unparked: 'to continue without waiting any longer',
  hastened: 'to be due now instead of later',
  cancelled: 'to end as cancelled',
  requested: 'to stop: its runner is asked to end the run',
  discarded: 'to delete, with all history',
  none: 'to leave unchanged',
}

/** The same for one operation, in a word. */
const OUTCOME: Readonly<Record<string, string>> = {
  revived: 'runs again',
  unparked: 'continues',
  hastened: 'is due now',
  cancelled: 'ends',
  requested: 'asked to end',
  discarded: 'is deleted',
  none: 'unchanged',
}

/** What was done, after a count. */
const DONE: Readonly<Record<string, string>> = {
  revived: 'run again',
  unparked: 'continuing',
  hastened: 'due now',
  cancelled: 'cancelled',
  requested: 'asked to end',
  discarded: 'deleted',
}

function doneInWords(outcome: string, count: number): string {
  return count === 1 && outcome === 'revived' ? 'runs again' : (DONE[outcome] ?? outcome)
}

const TITLES: Record<BulkAction, string> = {
  retry: 'Retry operations',
  cancel: 'Cancel operations',
  discard: 'Discard operations',
}

/** Previews what would happen to all matching operations, and does it. */
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
  const apply = async (mayRepeat: boolean) => {
    isDoing.value = true
    try {
      const { counts, left } = await post<{ counts: Record<string, number>; left: string[] }>(
        '/v1/operations/bulk/apply',
        { token: preview.value?.token, may_repeat: mayRepeat },
      )
      const done = Object.entries(counts)
        .filter(([outcome, count]) => count > 0 && outcome !== 'none')
        .map(([outcome, count]) => `${countInWords(count)} ${doneInWords(outcome, count)}`)
      const rest = left.length > 0 ? `; ${countInWords(left.length)} left alone` : ''
      tell(`${done.join(', ') || 'Nothing changed'}${rest}`)
      onClose(true)
    } catch (error) {
      tellProblem(error)
      onClose(false)
    }
  }
  const found = preview.value
  const concerned = found ? found.total - (found.counts.none ?? 0) : 0
  const doubts = found?.needs_person ?? 0
  const safe = concerned - doubts
  const word = `${action[0]?.toUpperCase()}${action.slice(1)}`
  return (
    <Dialog
      title={TITLES[action]}
      onClose={() => onClose(false)}
      onSubmit={() => {
        if (safe > 0) void apply(doubts === 0)
      }}
      footer={
        <>
          <button type="button" class="button" onClick={() => onClose(false)}>
            Leave unchanged
          </button>
          {doubts > 0 ? (
            <button
              type="button"
              class="button danger"
              disabled={isDoing.value}
              onClick={() => void apply(true)}
            >
              {safe > 0 ? `${word} all ${countInWords(concerned)}` : `${word} all the same`}
            </button>
          ) : null}
          {doubts > 0 && safe <= 0 ? null : (
            <button
              type="submit"
              class={action === 'retry' ? 'button primary' : 'button danger primary'}
              disabled={safe <= 0 || isDoing.value}
            >
              {!found
                ? word
                : doubts === 0
                  ? `${word} ${manyOf(concerned, 'operation')}`
                  : `${word} the ${countInWords(safe)} that ${safe === 1 ? 'is' : 'are'} safe`}
            </button>
          )}
        </>
      }
    >
      {problem.value ? <Trouble problem={problem.value} again={() => void look()} /> : null}
      {found ? <Told preview={found} /> : problem.value ? null : <Loading />}
    </Dialog>
  )
}

function Told({ preview: { total, counts, operations, needs_person: doubts = 0 } }: { preview: Preview }) {
  const outcomes = Object.entries(counts).filter(([, count]) => count > 0)
  return (
    <>
      <p class="soft">
        {manyOf(total, 'operation')} {total === 1 ? 'matches' : 'match'}. Nothing has changed yet.
      </p>
      <ul class="outcomes">
        {outcomes.map(([outcome, count]) => (
          <li key={outcome}>
            <strong>{countInWords(count)}</strong> <span>{OUTCOMES[outcome] ?? outcome}</span>
          </li>
        ))}
      </ul>
      {doubts > 0 ? (
        <p class="warning" role="note">
          {doubts === total ? (doubts === 1 ? 'It' : 'They') : `${countInWords(doubts)} of them`} may already
          have taken effect, and nothing can check that: running again may do it twice. Check first.
        </p>
      ) : null}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard */}
      <ul class="previewed" tabIndex={0}>
        {operations.slice(0, 50).map(({ id, capability, state, outcome, needs_person: doubt }) => (
          <li key={id}>
            <StateBadge state={state} />
            <Foreign text={workInWords(capability)} cut />
            <span class="faint mono">{id}</span>
            <span class="soft">
              {OUTCOME[outcome] ?? outcome}
              {doubt === undefined ? '' : '; may happen twice'}
            </span>
          </li>
        ))}
        {total > 50 ? <li class="faint">and {manyOf(total - 50, 'more', 'more')}</li> : null}
      </ul>
    </>
  )
}
