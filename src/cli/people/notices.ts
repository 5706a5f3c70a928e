import { isCallFailed } from '../../call/call-failed.ts'
import type { Config } from '../../config/schema/config.ts'
import type { SurfaceConfig } from '../../config/schema/surface.ts'
import { trusted } from '../../config/trust.ts'
import { knownSurface } from '../../notice/known-surface.ts'
import { noticeWithDeliveriesToJson, testToJson } from '../../notice/notice-json.ts'
import { noticesWithDeliveries } from '../../notice/notice-with-deliveries.ts'
import { sendTest } from '../../notice/send-test.ts'
import { shareInWords } from '../../notice/share-words.ts'
import { surfaceHostOf } from '../../notice/surface-host.ts'
import { tellingRuleOf } from '../../notice/telling-rule.ts'
import { UnknownName } from '../../option/unknown-name.ts'
import { EXIT_USAGE, exitCodeOf } from '../exit-code.ts'
import { parseArguments, UsageError } from '../flag/arguments.ts'
import { countFlag } from '../flag/flags.ts'
import { onlyArgument, subcommandOf } from '../flag/subcommand.ts'
import { printJson } from '../print/print-json.ts'
import { Progress } from '../print/progress.ts'
import { ensureTrusted } from '../runtime/ensure-trusted.ts'
import {
  loadFor,
  nothingYet,
  RUNTIME_OPTIONS,
  RUNTIME_USAGE,
  type RuntimeFlags,
  withRuntime,
} from '../runtime/runtime.ts'
import type { Terminal } from '../terminal.ts'
import { noticeInWords } from './notice-words.ts'

export const usage = `Usage: mulligan notices ls|test [SURFACE] [OPTIONS]

  ls                list notices, newest first, with the state of their deliveries to surfaces
  test SURFACE      send a test message to a surface of the config, with a few retries

  --limit N         with ls: how many; default 50
  --json            JSON on stdout
${RUNTIME_USAGE}

Exit codes: 0 done, 2 wrong usage.
Exit codes of test: ${EXIT_USAGE}.`

const OPTIONS = { ...RUNTIME_OPTIONS, limit: { type: 'string' }, json: { type: 'boolean' } } as const

interface Flags extends RuntimeFlags {
  limit?: string | undefined
  json?: boolean | undefined
}

const SUBCOMMANDS = { ls: list, test }

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(argv, { usage, options: OPTIONS })
  const [name, ...rest] = positionals
  return subcommandOf('notices', name, SUBCOMMANDS)(rest, values, terminal)
}

async function list(rest: readonly string[], flags: Flags, terminal: Terminal): Promise<number> {
  if (rest.length > 0) throw new UsageError(`notices ls takes no ${JSON.stringify(rest[0])}`)
  const limit = countFlag('--limit', flags.limit, 1) ?? 50
  return withRuntime(flags, terminal, { absent: 'keep_out', shows: true }, async ({ ledger, place }) => {
    if (!ledger) {
      terminal.stdout(flags.json ? `${JSON.stringify({ notices: [] })}\n` : nothingYet(place))
      return 0
    }
    const { items: listed } = await noticesWithDeliveries(ledger, { expired: true }, { limit })
    if (flags.json) {
      printJson(terminal, { notices: listed.map(noticeWithDeliveriesToJson) })
    } else if (listed.length === 0) terminal.stdout('No notices.\n')
    else
      for (const { notice, deliveries } of listed) {
        const where = deliveries.map(
          ({ surface, state, reference, reason, operation }) =>
            `    ${surface}: ${state}${state === 'pending' ? ` (${operation})` : ''}${reference ? ` ${reference}` : ''}${reason ? `: ${reason}` : ''}`,
        )
        terminal.stdout(`${[noticeInWords(notice, terminal.now(), { brief: true }), ...where].join('\n')}\n`)
      }
    return 0
  })
}

async function test(rest: readonly string[], flags: Flags, terminal: Terminal): Promise<number> {
  const name = onlyArgument('notices test', 'the name of a SURFACE', rest)
  if (flags.limit !== undefined) throw new UsageError('--limit goes with notices ls')
  const loaded = trusted(await ensureTrusted(loadFor(flags, terminal), terminal))
  const config = surfaceNamed(loaded.config, name)
  const progress = new Progress(terminal, { prefix: 'mulligan: ' })
  try {
    const sent = await sendTest(config, surfaceHostOf(loaded, terminal, terminal), {
      signal: terminal.signal,
      onEvent: progress.onEvent,
    }).finally(() => progress.stop())
    const { surfaces } = tellingRuleOf(loaded.config)
    const share = shareInWords(knownSurface({ surfaces: [...surfaces] }, name))
    if (flags.json) printJson(terminal, { ...testToJson(name, sent), share })
    else
      terminal.stdout(`Sent to ${name}${sent.reference ? `: ${sent.reference}` : ''}.\n${share.join('\n')}\n`)
    return 0
  } catch (error) {
    if (!isCallFailed(error)) throw error
    const { failure } = error
    if (flags.json) printJson(terminal, testToJson(name, { failure }))
    terminal.stderr(
      `mulligan notices test: cannot reach ${name}: ${failure.class}/${failure.kind}: ${failure.message}\n`,
    )
    return exitCodeOf(failure)
  }
}

function surfaceNamed(config: Config, name: string): SurfaceConfig {
  try {
    return knownSurface(config, name)
  } catch (error) {
    if (error instanceof UnknownName) throw new UsageError(error.message)
    throw error
  }
}
