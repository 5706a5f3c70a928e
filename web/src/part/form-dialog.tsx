import type { Signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { Dialog } from './dialog.tsx'

/** A dialog with one button that does it and one that does nothing. */
export function FormDialog({
  title,
  keep = 'Leave unchanged',
  action,
  tone = '',
  onClose,
  onSubmit,
  children,
}: {
  title: string
  /** The button that does nothing. Default `Leave unchanged`. */
  keep?: string
  /** The button that does it. */
  action: string
  tone?: '' | 'danger'
  /** Nothing is done. */
  onClose: () => void
  onSubmit: () => void
  children: ComponentChildren
}) {
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={onSubmit}
      footer={
        <>
          <button type="button" class="button" onClick={onClose}>
            {keep}
          </button>
          <button type="submit" class={`button ${tone} primary`}>
            {action}
          </button>
        </>
      }
    >
      {children}
    </Dialog>
  )
}

/** A labelled text of a form; of several lines with `rows`. */
export function TextField({ label, text, rows }: { label: string; text: Signal<string>; rows?: number }) {
  const shared = {
    class: 'input',
    value: text.value,
    onInput: (event: { currentTarget: { value: string } }) => {
      text.value = event.currentTarget.value
    },
  }
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: one of the two is inside
    <label class="field">
      <span>{label}</span>
      {rows === undefined ? (
        <input type="text" maxLength={500} {...shared} />
      ) : (
        <textarea rows={rows} spellcheck={false} {...shared} />
      )}
    </label>
  )
}
