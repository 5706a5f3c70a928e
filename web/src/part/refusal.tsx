import { DaemonWords } from './daemon-words.tsx'

/** Why what was typed into a form is refused. */
export function Refusal({ problem, id }: { problem: string | undefined; id?: string }) {
  if (problem === undefined) return null
  return (
    <p class="refusal" role="alert" id={id}>
      <DaemonWords text={problem} />
    </p>
  )
}
