import type { ComponentChildren } from 'preact'
import { Dialog } from './dialog.tsx'

/** Asks before something that cannot be taken back. */
export function Confirm({
  title,
  keep = 'Leave unchanged',
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
    <Dialog
      title={title}
      onClose={() => onClose(false)}
      onSubmit={() => onClose(true)}
      footer={
        <>
          <button type="button" class="button" onClick={() => onClose(false)}>
            {keep}
          </button>
          <button type="submit" class="button danger primary">
            {action}
          </button>
        </>
      }
    >
      {children}
    </Dialog>
  )
}
