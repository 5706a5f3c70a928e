import { Confirm } from '../part/confirm.tsx'
import { DaemonWords } from '../part/daemon-words.tsx'

/** Asks before operations run again that may already have taken effect. */
export function RunAgainDialog({
  doubts,
  onClose,
}: {
  doubts: readonly { id: string; why: string }[]
  onClose: (isWanted: boolean) => void
}) {
  return (
    <Confirm title="This may happen twice" action="Run it again" onClose={onClose}>
      <ul class="doubts">
        {doubts.map(({ id, why }) => (
          <li key={id}>
            <a href={`/operations/${id}`} class="mono">
              {id}
            </a>
            : <DaemonWords text={why} />.
          </li>
        ))}
      </ul>
      <p class="soft">Check yourself whether it happened before you run it again.</p>
    </Confirm>
  )
}
