import type { State } from '../api/answers.ts'

const STATE_TONES: Record<State, string> = {
  scheduled: 'transient',
  running: 'rail',
  parked: 'throttle',
  succeeded: 'good',
  dead: 'permanent',
}

/** The state of an operation. */
export function StateBadge({ state, held }: { state: State; held?: boolean }) {
  return (
    <span class="badge" data-tone={held ? 'throttle' : STATE_TONES[state]} data-live={state === 'running'}>
      {held ? 'held' : state}
    </span>
  )
}

/** The class of a failure, with its kind if there is room. */
export function ClassBadge({ of, kind }: { of: string; kind?: string }) {
  return (
    <span class="badge" data-tone={of}>
      {kind && kind !== of ? `${of} · ${kind}` : of}
    </span>
  )
}

/** A word with a colour. */
export function Badge({ tone, children }: { tone?: string; children: string }) {
  return (
    <span class="badge plain" data-tone={tone}>
      {children}
    </span>
  )
}
