import { signal } from '@preact/signals'
import { problemOf } from '../api/problem.ts'
import { DaemonWords } from './daemon-words.tsx'

interface Toast {
  id: number
  text: string
  kind: 'done' | 'trouble'
}

/** How long a success message is shown, in milliseconds; an error stays until it is closed. */
const TOLD_MS = 5_000

const toasts = signal<readonly Toast[]>([])
let next = 0

/** Shows a message. */
export function tell(text: string, kind: Toast['kind'] = 'done'): void {
  next += 1
  const toast = { id: next, text, kind }
  toasts.value = [...toasts.value.slice(-3), toast]
  if (kind === 'done') setTimeout(() => drop(toast.id), TOLD_MS)
}

/** Shows an error. */
export function tellProblem(error: unknown): void {
  tell(problemOf(error).message, 'trouble')
}

/** Does what a person asked for, or shows why it cannot be done. */
export async function orTell(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    tellProblem(error)
  }
}

/** Copies a text to the clipboard. */
export function copy(text: string): void {
  navigator.clipboard?.writeText(text).then(
    () => tell('Copied'),
    () => tell('The browser does not allow copying; select the text and copy it yourself', 'trouble'),
  )
}

function drop(id: number): void {
  toasts.value = toasts.value.filter(toast => toast.id !== id)
}

/** Recent messages and errors. */
export function Toasts() {
  return (
    <div class="toasts" aria-live="polite">
      {toasts.value.map(({ id, text, kind }) => (
        <div class="toast" data-kind={kind} key={id}>
          <DaemonWords text={text} />
          <button type="button" class="button quiet" onClick={() => drop(id)} aria-label="Close this message">
            ✕
          </button>
        </div>
      ))}
    </div>
  )
}
