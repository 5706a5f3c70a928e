import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

/** Asks something before it is done. Escape and a click beside it close it. */
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
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog by itself
    <dialog
      ref={box}
      aria-label={title}
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
          <h1>{title}</h1>
        </header>
        <div class="content">{children}</div>
        <footer>{footer}</footer>
      </form>
    </dialog>
  )
}
