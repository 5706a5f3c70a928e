import { signal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import { go } from '../route/location.ts'
import { NAV } from '../route/nav.ts'
import { Dialog } from './dialog.tsx'

const isHelpShown = signal(false)

/** Shows the list of keys. */
export function showKeys(): void {
  isHelpShown.value = true
}

/** How long after `g` the next key counts, in milliseconds. */
const GO_WITHIN_MS = 1_500

/** What `/`, `j`, `k`, `Enter` and `x` do in a view. */
export interface ViewKeys {
  search?: () => void
  move?: (by: 1 | -1) => void
  open?: () => void
  select?: () => void
}

let ofView: ViewKeys = {}

/** Lets a view handle keys while it is shown. */
export function useViewKeys(keys: ViewKeys): void {
  // At once, so a key that is pressed early counts.
  useLayoutEffect(() => {
    ofView = keys
    return () => {
      if (ofView === keys) ofView = {}
    }
  })
}

/** Handles keys, except while the user types in a field. */
export function useKeys(): void {
  // At once, so a key that is pressed early counts.
  useLayoutEffect(() => {
    let wentAt = Number.NEGATIVE_INFINITY
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
      const target = event.target as HTMLElement
      if (target.closest('input, textarea, select, dialog, [contenteditable]')) return
      const isGoing = event.timeStamp - wentAt < GO_WITHIN_MS
      wentAt = Number.NEGATIVE_INFINITY
      const view = isGoing && NAV.find(({ key }) => key === event.key)
      if (view) go(`/${view.name}`)
      else if (event.key === 'g') wentAt = event.timeStamp
      else if (event.key === '?') showKeys()
      else if (event.key === '/') (ofView.search ?? (() => go('/operations?focus')))()
      else if (event.key === 'j' || event.key === 'k') (ofView.move ?? moveFocus)(event.key === 'j' ? 1 : -1)
      else if (event.key === 'x') ofView.select?.()
      else if (event.key === 'o') ofView.open?.()
      else return
      event.preventDefault()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}

/** Moves the focus to the next or previous row of the list on screen. */
function moveFocus(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-row]')]
  const at = rows.findIndex(row => row.contains(document.activeElement))
  rows[at < 0 ? (by > 0 ? 0 : -1) : Math.min(rows.length - 1, Math.max(0, at + by))]?.focus()
}

const KEYS: readonly (readonly [string, string])[] = [
  ['/', 'Search operations'],
  ['j k', 'Next, previous row'],
  ['Enter', 'Open the row'],
  ['x', 'Select the row'],
  ...NAV.map(({ key, title }) => [`g ${key}`, title] as const),
  ['?', 'This list'],
]

/** The list of keys. */
export function KeyHelp() {
  if (!isHelpShown.value) return null
  const close = () => {
    isHelpShown.value = false
  }
  return (
    <Dialog
      title="Keys"
      onClose={close}
      footer={
        <button type="button" class="button" onClick={close}>
          Close
        </button>
      }
    >
      <dl class="keys">
        {KEYS.map(([keys, words]) => (
          <>
            <dt>
              {keys.split(' ').map(key => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{words}</dd>
          </>
        ))}
      </dl>
    </Dialog>
  )
}
