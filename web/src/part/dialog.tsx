import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { visibleText } from '../words/visible.ts'

/** A confirmation dialog. Escape or a click outside closes it. */
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
  useEffect(() => {
    const before = document.activeElement
    box.current?.showModal()
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog natively
    <dialog
      ref={box}
      aria-label={visibleText(title)}
      onClose={onClose}
      onCancel={onClose}
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
