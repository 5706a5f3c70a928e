import { backtestToJson } from '../../unknown/unknown-json.ts'
import { UsageError } from '../flag/arguments.ts'
import { readText } from '../flag/file.ts'
import { onlyArgument } from '../flag/subcommand.ts'
import { printJson } from '../print/print-json.ts'
import { backtestInWords } from './unknown-words.ts'
import { isAgreed } from './unknowns-label.ts'
import type { UnknownsRuntime } from './unknowns-runtime.ts'

/** Prints all labels as a signature pack. */
export async function exportPack(
  { unknowns, terminal, flags }: UnknownsRuntime,
  given: readonly string[],
): Promise<number> {
  if (given.length > 0)
    throw new UsageError('unknowns export writes to stdout: mulligan unknowns export > FILE')
  const pack = await unknowns.exportPack()
  terminal.stdout(flags.json ? `${JSON.stringify({ pack })}\n` : pack)
  return 0
}

/** Imports a signature pack, after its backtest. */
export async function importPack(
  { unknowns, terminal, flags, who }: UnknownsRuntime,
  given: readonly string[],
): Promise<number> {
  const file = onlyArgument('unknowns import', 'a FILE', given)
  const text = readText(file, terminal)
  const options = { who: `${who}, from ${file}`, allow: flags.allow, force: flags.force }
  const { signatures, backtest } = await unknowns.importPack(text, file, { ...options, dryRun: true })
  if (!flags.json)
    terminal.stdout(
      `${signatures.length} ${signatures.length === 1 ? 'signature' : 'signatures'} in ${file}\n${backtestInWords(backtest)}`,
    )
  const mayImport = backtest.flips === 0 || flags.force === true
  const isImported = mayImport && (flags.yes === true || (await isAgreed('Import them?', terminal)))
  if (mayImport && !isImported) {
    if (flags.json) printJson(terminal, { taken: false, backtest: backtestToJson(backtest) })
    else terminal.stdout('Nothing changed yet; to apply: --yes\n')
    return 0
  }
  const { ids } = await unknowns.importPack(text, file, options)
  if (flags.json) printJson(terminal, { taken: true, labels: ids, backtest: backtestToJson(backtest) })
  else terminal.stdout(`Imported ${ids.length} ${ids.length === 1 ? 'label' : 'labels'}\n`)
  return 0
}
