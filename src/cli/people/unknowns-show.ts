import { present } from '../../failure/present.ts'
import { detailsToJson, labelToJson, unknownToJson } from '../../unknown/unknown-json.ts'
import { UsageError } from '../flag/arguments.ts'
import { countFlag } from '../flag/flags.ts'
import { onlyArgument } from '../flag/subcommand.ts'
import { printJson } from '../print/print-json.ts'
import { detailsInWords, labelInWords, unknownInOneLine } from './unknown-words.ts'
import type { UnknownsRuntime } from './unknowns-runtime.ts'

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
      ...present({ provider: flags.provider }),
    },
    present({ limit, cursor: flags.cursor }),
  )
  if (flags.json) {
    const next = page.next === undefined ? {} : { next: page.next }
    printJson(terminal, { unknowns: page.items.map(unknownToJson), ...next })
    return 0
  }
  const none = flags.all ? 'No unknown failures.\n' : 'No unknown failures without a label.\n'
  terminal.stdout(
    page.items.length > 0
      ? `${page.items.map(each => unknownInOneLine(each, terminal.now())).join('\n')}\n`
      : none,
  )
  if (page.next !== undefined) terminal.stderr(`More: --cursor ${page.next}\n`)
  return 0
}

/** Everything about one fingerprint. */
export async function show(
  { unknowns, flags, terminal }: UnknownsRuntime,
  given: readonly string[],
): Promise<number> {
  const details = await unknowns.show(
    await unknowns.find(onlyArgument('unknowns show', 'a FINGERPRINT', given)),
  )
  if (!flags.json) {
    terminal.stdout(detailsInWords(details, terminal.now()))
    return 0
  }
  printJson(terminal, detailsToJson(details))
  return 0
}

/** Withdraws labels. */
export async function withdraw(
  { unknowns, flags, terminal, who }: UnknownsRuntime,
  given: readonly string[],
): Promise<number> {
  const name = onlyArgument('unknowns withdraw', 'the id or the fingerprint of a LABEL', given)
  const labels = await unknowns.withdraw(name, who)
  if (flags.json) printJson(terminal, { withdrawn: labels.map(labelToJson) })
  else for (const label of labels) terminal.stdout(`${label.id}: withdrawn (was ${labelInWords(label)})\n`)
  return 0
}
