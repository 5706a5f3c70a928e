import { catalogueReasons } from './catalogue/reasons.ts'
import { OWN, UNRECOGNISED } from './own.ts'
import { OWN_ERROR_WHY } from './own-error.ts'

let reasons: Record<string, string> | undefined

/** Why a rule exists, by the id in `evidence.rule`; undefined for an id that is not a rule's. */
export function whyOfRule(id: string): string | undefined {
  if (id.startsWith('signature:')) return 'a signature from your config or from a label matched'
  if (id.startsWith('label:')) return 'a person labelled failures with this fingerprint'
  if (id.startsWith('own:max_')) return OWN.rail('max_turns').why
  if (id.startsWith('mulligan:')) return OWN_ERROR_WHY
  const facts = [OWN.aborted, OWN.timedOut, UNRECOGNISED.unknown, UNRECOGNISED.command]
  const fact = facts.find(rule => rule.id === id)
  if (fact) return fact.why
  reasons ??= catalogueReasons()
  return Object.hasOwn(reasons, id) ? reasons[id] : undefined
}
