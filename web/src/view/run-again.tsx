import { Confirm } from '../part/confirm.tsx'
import { DaemonWords } from '../part/daemon-words.tsx'
import { sentence } from '../words/sentence.ts'

/** Asks before something runs again that may already have taken effect. */
export function RunAgainDialog({ why, onClose }: { why: string; onClose: (isWanted: boolean) => void }) {
  return (
    <Confirm title="This may happen twice" action="Run it again" onClose={onClose}>
      <p>
        <DaemonWords text={`${sentence(why)}.`} />
      </p>
      <p class="soft">Check yourself whether it happened before you run it again.</p>
    </Confirm>
  )
}
