import type { ComponentChildren } from 'preact'
import { FormDialog } from './form-dialog.tsx'

/** Asks before something that cannot be taken back. */
export function Confirm({
  title,
  keep,
  action,
  onClose,
  children,
}: {
  title: string
  /** The button that does nothing. Default `Leave unchanged`. */
  keep?: string
  /** The button that does it. */
  action: string
  onClose: (isWanted: boolean) => void
  children: ComponentChildren
}) {
  return (
    <FormDialog
      title={title}
      {...(keep === undefined ? {} : { keep })}
      action={action}
      tone="danger"
      onClose={() => onClose(false)}
      onSubmit={() => onClose(true)}
    >
      {children}
    </FormDialog>
  )
}
