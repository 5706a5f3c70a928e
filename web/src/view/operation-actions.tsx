import { useSignal } from '@preact/signals'
import { ENGINE_PREFIX } from '../../../src/ledger/hold-words.ts'
import type { Operation } from '../api/answers.ts'
import { doubtOf } from '../api/doubt.ts'
import { post } from '../api/request.ts'
import { Confirm } from '../part/confirm.tsx'
import { tell, tellProblem } from '../part/toast.tsx'
import { go } from '../route/location.ts'
import { EditDialog } from './edit.tsx'
import { MarkDoneDialog } from './mark-done.tsx'
import { RunAgainDialog } from './run-again.tsx'

type Action = 'retry' | 'cancel' | 'discard' | 'resume'

const DONE: Readonly<Record<string, string>> = {
  revived: 'Runs again',
  unparked: 'Continues',
  hastened: 'Due now',
  cancelled: 'Cancelled',
  requested: 'Its runner was asked to end it',
  discarded: 'Discarded',
}

/** What a person can do about an operation; asks before what cannot be taken back. */
export function OperationActions({ operation, reload }: { operation: Operation; reload: () => void }) {
  const { id, state, source, held_by: heldBy, dead_as: deadAs } = operation
  const isEditing = useSignal(false)
  const isMarking = useSignal(false)
  const isDiscarding = useSignal(false)
  const doubtful = useSignal<{ action: Action; why: string } | undefined>(undefined)
  const isBusy = useSignal(false)
  const act = async (action: Action, body?: { may_repeat: true }) => {
    if (isBusy.value) return
    isBusy.value = true
    try {
      const { outcome } = await post<{ outcome?: string }>(`/v1/operations/${id}/${action}`, body)
      tell(DONE[outcome ?? 'unparked'] ?? 'Done')
      if (action === 'discard') go('/operations')
      else reload()
    } catch (error) {
      const why = doubtOf(error)
      if (why === undefined) tellProblem(error)
      else doubtful.value = { action, why }
    } finally {
      isBusy.value = false
    }
  }
  const button = (words: string, onClick: () => void, kind = '') => (
    // Not `disabled`, which would take the focus from it.
    <button type="button" class={`button ${kind}`} aria-disabled={isBusy.value} onClick={onClick}>
      {words}
    </button>
  )
  const isWaiting = state === 'scheduled' || state === 'parked'
  // It may have taken effect: running it again is not the first thing to do.
  const isUnverifiable = deadAs === 'unverifiable'
  // The same would be refused again.
  const isRefused = deadAs === 'refused'
  /** The provider that it waits for: until that serves, nothing makes the operation run. */
  const holder = heldBy?.startsWith(ENGINE_PREFIX) ? undefined : heldBy
  return (
    <>
      {state === 'parked'
        ? button('Resume', () => void act('resume'), operation.parked_for === 'label' ? '' : 'primary')
        : null}
      {holder === undefined ? null : (
        <a class="button" href={`/providers/${encodeURIComponent(holder)}`}>
          Open the provider
        </a>
      )}
      {state === 'dead' || (state === 'scheduled' && holder === undefined)
        ? button(
            operation.attempts === 0 ? 'Run now' : 'Retry now',
            () => void act('retry'),
            isUnverifiable || isRefused ? '' : 'primary',
          )
        : null}
      {isWaiting || state === 'dead'
        ? button(
            operation.attempts === 0 ? 'Edit and run …' : 'Edit and retry …',
            () => {
              isEditing.value = true
            },
            isRefused ? 'primary' : '',
          )
        : null}
      {(state === 'dead' || state === 'parked') && source !== 'workflow' && source !== 'engine'
        ? button(
            'Mark as done …',
            () => {
              isMarking.value = true
            },
            isUnverifiable ? 'primary' : '',
          )
        : null}
      {isWaiting || state === 'running' ? button('Cancel', () => void act('cancel'), 'danger') : null}
      {state === 'succeeded' || state === 'dead'
        ? button(
            'Discard …',
            () => {
              isDiscarding.value = true
            },
            'danger',
          )
        : null}
      {isEditing.value ? (
        <EditDialog
          operation={operation}
          onClose={done => {
            isEditing.value = false
            if (done) reload()
          }}
        />
      ) : null}
      {isMarking.value ? (
        <MarkDoneDialog
          operation={operation}
          onClose={done => {
            isMarking.value = false
            if (done) reload()
          }}
        />
      ) : null}
      {isDiscarding.value ? (
        <Confirm
          title={`Discard ${id}`}
          action="Discard"
          onClose={isWanted => {
            isDiscarding.value = false
            if (isWanted) void act('discard')
          }}
        >
          <p>It is deleted, with its result and all its history. This cannot be taken back.</p>
        </Confirm>
      ) : null}
      {doubtful.value ? (
        <RunAgainDialog
          why={doubtful.value.why}
          onClose={isWanted => {
            const { action } = doubtful.value as { action: Action }
            doubtful.value = undefined
            if (isWanted) void act(action, { may_repeat: true })
          }}
        />
      ) : null}
    </>
  )
}
