import { isCallFailed } from '../../call/call-failed.ts'
import type { Config } from '../../config/schema/config.ts'
import type { SurfaceConfig } from '../../config/schema/surface.ts'
import { trusted } from '../../config/trust.ts'
import { momentInWords } from '../../daemon/words/failure-words.ts'
import { inNumbers } from '../../daemon/words/in-numbers.ts'
import { isNoticeId, missingNotice } from '../../notice/inbox.ts'
import { knownSurface } from '../../notice/known-surface.ts'
import { noticeWithDeliveriesToJson, testToJson } from '../../notice/notice-json.ts'
import { noticesWithDeliveries } from '../../notice/notice-with-deliveries.ts'
import { PRESS_SNOOZE_MS } from '../../notice/press/press.ts'
import { sendTest } from '../../notice/send-test.ts'
import { shareInWords } from '../../notice/share-words.ts'
import { SNOOZE_LEAST_MS, SNOOZE_MOST_MS, snoozeNotices } from '../../notice/snooze.ts'
import { surfaceHostOf } from '../../notice/surface-host.ts'
import { tellingRuleOf } from '../../notice/telling-rule.ts'
import { UnknownName } from '../../option/unknown-name.ts'
import { timeToJson } from '../../time/time-json.ts'
import { EXIT_USAGE, exitCodeOf } from '../exit-code.ts'
import { parseArguments, UsageError } from '../flag/arguments.ts'
import { countFlag, durationFlag } from '../flag/flags.ts'
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

export const usage = `Usage: mulligan notices ls|snooze NOTICE …|test SURFACE [OPTIONS]

  ls                list notices, newest first, with the state of their deliveries to surfaces
  snooze NOTICE …   hide notices that need action for a while; then the surfaces that had them are told again
  test SURFACE      send a test message to a surface of the config, with a few retries

  --limit N         with ls: how many; default 50
  --for D           with snooze: how long, 1m to 30d; default 1h
  --json            JSON on stdout
${RUNTIME_USAGE}

Exit codes: 0 done, 2 wrong usage.
Exit codes of test: ${EXIT_USAGE}.`

const OPTIONS = {
  ...RUNTIME_OPTIONS,
  limit: { type: 'string' },
  for: { type: 'string' },
  json: { type: 'boolean' },
} as const

interface Flags extends RuntimeFlags {
  limit?: string | undefined
  for?: string | undefined
  json?: boolean | undefined
}

const SUBCOMMANDS = { ls: list, snooze, test }

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

async function snooze(ids: readonly string[], flags: Flags, terminal: Terminal): Promise<number> {
  const wrong = ids.find(id => !isNoticeId(id))
  if (ids.length === 0 || wrong !== undefined)
    throw new UsageError(
      wrong === undefined ? 'name the notices, such as notice_7' : `${JSON.stringify(wrong)} is not a notice`,
    )
  const forMs = durationFlag('--for', flags.for) ?? PRESS_SNOOZE_MS
  if (forMs < SNOOZE_LEAST_MS || forMs > SNOOZE_MOST_MS) throw new UsageError('--for must be 1m to 30d')
  return withRuntime(flags, terminal, {}, async ({ ledger }) => {
    const missing = ledger && (await missingNotice(ledger, ids))
    if (!ledger || missing !== undefined)
      throw new UsageError(`there is no ${missing ?? ids[0]}; to list them: mulligan notices ls`)
    const until = ledger.time.now() + forMs
    const snoozed = await snoozeNotices(ledger, ids, until)
    if (flags.json) printJson(terminal, { snoozed, until: timeToJson(until) })
    else
      terminal.stdout(
        snoozed === 0
          ? 'Nothing to snooze: they are read, resolved, snoozed already or need no action.\n'
          : `Snoozed ${inNumbers(snoozed, 'notice')} until ${momentInWords(until, ledger.time.now())}.\n`,
      )
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
