import type { FailureLabel } from '../failure/label.ts'
import { redact } from '../failure/redact.ts'
import { oneLine } from '../failure/text/printable.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { shellWord } from '../option/shell-word.ts'
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
  /** The session or program that proposes it: it has one open proposal per unknown. */
  by: string
  /** Why, for people. Default nothing. */
  why?: string | undefined
}

/** How many labels one session may propose in an hour: each is a message to people. */
export const MOST_PROPOSALS = 10
/** How many all sessions together may: a session's name is its own word. */
export const MOST_IN_ALL = 100
const HOUR_MS = 3_600_000
const LOOKED_AT = 1_000

/** Why this session may not propose a label for this unknown now; undefined if it may. */
export async function proposalProblem(
  { ledger, time }: { ledger: Pick<Ledger, 'notices'>; time: Pick<Time, 'now'> },
  { fingerprint, by, teaching }: Pick<LabelProposal, 'fingerprint' | 'by' | 'teaching'>,
): Promise<string | undefined> {
  const { items } = await ledger.notices({ type: 'label_proposed', expired: true }, { limit: LOOKED_AT })
  const own = items.filter(({ cause }) => cause?.startsWith(causeOf(by, '')))
  const key = keyOf(fingerprint, teaching)
  const open = own.find(each => each.fingerprint === fingerprint && each.resolvedAt === undefined)
  // The same proposal again is the same notice.
  if (open && open.key !== key)
    return `you have proposed a label for ${fingerprint} already (${open.id}); a person decides`
  if (open) return undefined
  const isRecent = ({ createdAt }: { createdAt: number }) => createdAt > time.now() - HOUR_MS
  const recent = own.filter(isRecent).length
  if (recent >= MOST_PROPOSALS)
    return `you have proposed ${recent} labels within the hour; wait until people have decided`
  if (items.filter(isRecent).length >= MOST_IN_ALL)
    return `agents have proposed ${MOST_IN_ALL} labels within the hour; wait until people have decided`
  return undefined
}

/** Quoted, so that the session `a` is not the beginning of the session `a:b`. */
function causeOf(by: string, fingerprint: string): string {
  return `proposal:${JSON.stringify(by)}:${fingerprint}`
}

function keyOf(fingerprint: string, teaching: LabelProposal['teaching']): string {
  return `proposal:${commandOf(fingerprint, teaching)}`
}

/** Makes a notice about a proposed label, with the command that accepts it. The same proposal makes one notice. */
export function proposeLabel(
  { ledger, time }: { ledger: Pick<Ledger, 'transaction'>; time: Pick<Time, 'now'> },
  { fingerprint, teaching, who, by, why }: LabelProposal,
): Promise<{ id: string; created: boolean }> {
  const { class: cls, kind } = teaching
  const command = commandOf(fingerprint, teaching)
  const what = kind === undefined ? cls : `${cls}/${kind}`
  return ledger.transaction(writes =>
    writes.addNotice({
      key: keyOf(fingerprint, teaching),
      cause: causeOf(by, fingerprint),
      type: 'label_proposed',
      ...LABEL_PROPOSED,
      fingerprint,
      title: cut(redact(oneLine(`${who} proposes: ${fingerprint} is ${what}`)), LONGEST_TITLE),
      body: [
        // Its own words must not pass for the command below.
        ...(why === undefined ? [] : [`It says: ${redact(oneLine(why))}`]),
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
