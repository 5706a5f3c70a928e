import { matchesOf } from './text/matches.ts'
import { anyOf, mayContain, prefilterOf } from './text/prefilter.ts'

/**
 * Words with which an answer says that something was done. A failure that says so may have taken effect, whatever else
 * it says.
 */
const DONE =
  /\b(?:created|captured|committed|charged|inserted|transferred|refunded|booked|delivered|dispatched|shipped|debited|deposited|withdrawn|deployed|enqueued|persisted|(?<!requests? |tokens? |you |you have |you've )sent(?! (?:too|by|with|in|without|from)\b)|successfully \w+ed|(?:was|were|been) (?:saved|stored|recorded|written|accepted|submitted|executed|applied|uploaded|published|posted|placed|merged|paid|updated|deleted))\b/gi

/** Every form above contains one of these. */
const DONE_WORDS = anyOf(
  ...`created captured committed charged inserted transferred refunded booked delivered dispatched shipped debited deposited
  withdrawn deployed enqueued persisted sent successfully`.split(/\s+/),
  ...['was ', 'were ', 'been '],
)

/** What takes such a word back, or makes it a wish or a rule, if it stands before it in the same clause. */
const NOT_DONE =
  /\b(?:not|never|no(?!\.? ?\d)|none|nothing|neither|nor|without|cannot|unable|(?:can|could|would|will|must|should|shall|to)(?! have)(?= be\b| get\b| only\b)|if|unless|until|before|when|needs?|requires?|instead of|rather than)\b|n['’]t\b/i

const CLAUSE_END = /[.;,:!?\n\r()[\]{}"“”|]|\b(?:but|and|then|however|although|while)\b/i
const LONGEST_TEXT = 16_384
const LONGEST_CLAUSE = 80

/** True if a text says, in some clause and not negated, that something was done. */
export function saysDone(text: string): boolean {
  if (!mayContain(prefilterOf(text), DONE_WORDS)) return false
  const said = text.slice(0, LONGEST_TEXT)
  for (const { index } of matchesOf(DONE, said)) {
    const clause = said
      .slice(Math.max(0, index - LONGEST_CLAUSE), index)
      .split(CLAUSE_END)
      .at(-1) as string
    if (!NOT_DONE.test(clause)) return true
  }
  return false
}
