import { shellWord } from '../config/shell-word.ts'
import type { FailureLabel } from '../failure/label.ts'
import { redact } from '../failure/redact.ts'
import { oneLine } from '../failure/text/printable.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { formatDuration } from '../time/duration.ts'
import type { Time } from '../time/time.ts'
import { cut } from './cut.ts'
import { expiresAt } from './lifetime.ts'
import { LONGEST_TITLE } from './message.ts'
import { LABEL_PROPOSED } from './weight.ts'

/** A label that an agent suggests for an unknown failure; a person decides. */
export interface LabelProposal {
  fingerprint: string
  teaching: FailureLabel & { allProviders?: boolean | undefined; pattern?: string | false | undefined }
  /** Who proposes it, for people. */
  who: string
  /** Why, for people. Default nothing. */
  why?: string | undefined
}

/** Makes a notice about a proposed label, with the command that accepts it. The same proposal makes one notice. */
export function proposeLabel(
  { ledger, time }: { ledger: Pick<Ledger, 'transaction'>; time: Pick<Time, 'now'> },
  { fingerprint, teaching, who, why }: LabelProposal,
): Promise<{ id: string; created: boolean }> {
  const { class: cls, kind } = teaching
  const command = commandOf(fingerprint, teaching)
  const what = kind === undefined ? cls : `${cls}/${kind}`
  return ledger.transaction(writes =>
    writes.addNotice({
      key: `proposal:${command}`,
      type: 'label_proposed',
      ...LABEL_PROPOSED,
      fingerprint,
      title: cut(redact(oneLine(`${who} proposes: ${fingerprint} is ${what}`)), LONGEST_TITLE),
      body: [
        ...(why === undefined ? [] : [redact(oneLine(why))]),
        `Details: mulligan unknowns show ${fingerprint}`,
        `To accept it: ${command}`,
      ].join('\n'),
      expiresAt: expiresAt(LABEL_PROPOSED.disposition, time.now()),
    }),
  )
}

function commandOf(fingerprint: string, teaching: LabelProposal['teaching']): string {
  const { class: cls, kind, effect, retryAfterMs, allProviders, pattern } = teaching
  return [
    'mulligan unknowns label',
    fingerprint,
    cls,
    ...(kind === undefined ? [] : [kind]),
    ...(effect === undefined ? [] : ['--effect', effect]),
    ...(retryAfterMs === undefined ? [] : ['--retry-after', formatDuration(retryAfterMs)]),
    ...(allProviders ? ['--all-providers'] : []),
    ...(pattern === undefined
      ? []
      : pattern === false
        ? ['--no-pattern']
        : ['--pattern', shellWord(pattern)]),
  ].join(' ')
}
