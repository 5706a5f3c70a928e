import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { visibleText } from '../words/visible.ts'

/** A dialog. Escape or a click outside closes it, and the focus returns to what opened it, else to the view. */
export function Dialog({
  title,
  onClose,
  footer,
  onSubmit,
  children,
}: {
  title: string
  onClose: () => void
  footer: ComponentChildren
  onSubmit?: () => void
  children: ComponentChildren
}) {
  const box = useRef<HTMLDialogElement>(null)
  const isGone = useRef(false)
  useEffect(() => {
    const element = box.current
    const before = document.activeElement
    element?.showModal()
    return () => {
      isGone.current = true
      // Nothing behind it takes the focus while it is open.
      element?.close()
      // The browser has brought the focus back, or the user has moved it on since Escape.
      const { activeElement: at } = document
      if (at !== null && at !== document.body && !element?.contains(at)) return
      // What opened it may be gone, with the row that it was in.
      const isThere = before instanceof HTMLElement && before !== document.body && before.isConnected
      const back = isThere ? before : document.getElementById('main')
      back?.focus({ preventScroll: true })
    }
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog natively
    <dialog
      ref={box}
      aria-label={visibleText(title)}
      onClose={() => {
        if (!isGone.current) onClose()
      }}
      onClick={event => {
        if (event.target === box.current) onClose()
      }}
    >
      <form
        method="dialog"
        onSubmit={event => {
          event.preventDefault()
          onSubmit?.()
        }}
      >
        <header>
          <h2>{visibleText(title)}</h2>
        </header>
        <div class="content">{children}</div>
        <footer>{footer}</footer>
      </form>
    </dialog>
  )
}
