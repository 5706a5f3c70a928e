import { UnknownError } from '../unknown/error.ts'
import { UsageError } from './arguments.ts'
import { countFlag } from './flags.ts'
import { onlyArgument } from './subcommand.ts'
import {
  detailsInWords,
  labelInWords,
  labelToJson,
  unknownInOneLine,
  unknownToJson,
} from './unknown-words.ts'
import type { UnknownsRuntime } from './unknowns.ts'

export const LIST_OPTIONS = {
  all: { type: 'boolean' },
  provider: { type: 'string' },
  limit: { type: 'string' },
  cursor: { type: 'string' },
} as const

/** A page of unknowns. */
export async function list(
  { unknowns, flags, terminal }: UnknownsRuntime,
  given: readonly string[],
): Promise<number> {
  if (given.length > 0)
    throw new UsageError(`unknowns ls takes no ${JSON.stringify(given[0])}; to show one: unknowns show`)
  const limit = countFlag('--limit', flags.limit, 1)
  const page = await unknowns.list(
    {
      ...(flags.all ? {} : { labelled: false }),
      ...(flags.provider === undefined ? {} : { provider: flags.provider }),
    },
    {
      ...(limit === undefined ? {} : { limit }),
      ...(flags.cursor === undefined ? {} : { cursor: flags.cursor }),
    },
  )
  if (flags.json) {
    const next = page.next === undefined ? {} : { next: page.next }
    terminal.stdout(`${JSON.stringify({ unknowns: page.items.map(unknownToJson), ...next })}\n`)
    return 0
  }
  const none = flags.all ? 'No unknown failures.\n' : 'No unknown failures without a label.\n'
  terminal.stdout(page.items.length > 0 ? `${page.items.map(unknownInOneLine).join('\n')}\n` : none)
  if (page.next !== undefined) terminal.stderr(`More: --cursor ${page.next}\n`)
  return 0
}

/** Everything about one fingerprint. */
export async function show(runtime: UnknownsRuntime, given: readonly string[]): Promise<number> {
  const { unknowns, flags, terminal } = runtime
  const details = await unknowns.show(
    await fingerprintOf(runtime, onlyArgument('unknowns show', 'a FINGERPRINT', given)),
  )
  if (!flags.json) {
    terminal.stdout(detailsInWords(details))
    return 0
  }
  const { fingerprint, parked, proposal, suggestions } = details
  const shown = {
    fingerprint,
    unknowns: details.unknowns.map(unknownToJson),
    labels: details.labels.map(labelToJson),
    parked,
    proposed_signature: proposal.pattern ?? null,
    no_signature_because: proposal.none ?? null,
    suggestions: suggestions.map(({ value, similarity }) => ({ similarity, label: labelToJson(value) })),
  }
  terminal.stdout(`${JSON.stringify(shown)}\n`)
  return 0
}

/** Takes labels back. */
export async function withdraw(
  { unknowns, flags, terminal, who }: UnknownsRuntime,
  given: readonly string[],
): Promise<number> {
  const name = onlyArgument('unknowns withdraw', 'the id or the fingerprint of a LABEL', given)
  const labels = await unknowns.withdraw(name, who)
  if (flags.json) terminal.stdout(`${JSON.stringify({ withdrawn: labels.map(labelToJson) })}\n`)
  else for (const label of labels) terminal.stdout(`${label.id}: withdrawn (was ${labelInWords(label)})\n`)
  return 0
}

/** The fingerprint that a person means: in full, or by enough of its beginning. */
export async function fingerprintOf({ unknowns, ledger }: UnknownsRuntime, given: string): Promise<string> {
  // All of it needs no list, which holds only the newest.
  if (/^fp\d:[0-9a-f]{16}$/.test(given) && (await ledger.unknown(given)).length > 0) return given
  const { items } = await unknowns.list({}, { limit: 1_000 })
  const known = [...new Set(items.map(({ fingerprint }) => fingerprint))]
  const wanted = /^fp\d:/.test(given) ? given : `fp1:${given}`
  const found = known.filter(fingerprint => fingerprint.startsWith(wanted))
  if (found.length === 1) return found[0] as string
  if (found.length > 1)
    throw new UnknownError('not_found', `${given} begins ${found.length} fingerprints: ${found.join(', ')}`)
  const others = known.length === 0 ? 'there are no unknowns' : 'for the list: mulligan unknowns ls --all'
  throw new UnknownError('not_found', `no unknown has the fingerprint ${given}; ${others}`)
}
