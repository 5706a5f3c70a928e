import { present } from '../../failure/present.ts'
import { catchUpNotices } from '../../notice/catch-up.ts'
import { inboxOf, isNoticeId, markRead, missingNotice, showBeforeEnd } from '../../notice/inbox.ts'
import { noticeToJson } from '../../notice/notice-json.ts'
import { reasonToGoOn } from '../../notice/session-end.ts'
import { realTime } from '../../time/time.ts'
import { parseArguments, UsageError } from '../flag/arguments.ts'
import { SESSION_VARIABLE, sessionOf } from '../flag/session-flag.ts'
import { printJson } from '../print/print-json.ts'
import { nothingYet, RUNTIME_OPTIONS, RUNTIME_USAGE, withRuntime } from '../runtime/runtime.ts'
import type { Terminal } from '../terminal.ts'
import { noticeInWords } from './notice-words.ts'

export const usage = `Usage: mulligan inbox [--session S] [--read ID… | --all | --stop-hook] [OPTIONS]

Shows a session's notices about the operations it submitted. Without a session, shows the workspace's notices and those
that sessions left unread for an hour. Actionable notices stay until they are read.

  --session S       show this session; default: ${SESSION_VARIABLE}, else the workspace
  --workspace       show the workspace, even if ${SESSION_VARIABLE} is set
  --read ID         mark a notice as read; may be repeated
  --all             mark all as read
  --unread          show only unread notices
  --stop-hook       for an agent's Stop hook: exits with 2 and a reason if the session has unread notices that need
                    action; without --session, reads it from JSON on stdin ({"session_id": …})
  --json            JSON on stdout
${RUNTIME_USAGE}

Exit codes: 0 done, 2 wrong usage. Exit codes with --stop-hook: 0 the session may end, 2 it should not, 1 failed.`

const OPTIONS = {
  ...RUNTIME_OPTIONS,
  session: { type: 'string' },
  workspace: { type: 'boolean' },
  read: { type: 'string', multiple: true },
  all: { type: 'boolean' },
  unread: { type: 'boolean' },
  'stop-hook': { type: 'boolean' },
  json: { type: 'boolean' },
} as const

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(argv, { usage, options: OPTIONS })
  if (positionals.length > 0)
    throw new UsageError(
      `inbox takes no ${JSON.stringify(positionals[0])}; to mark a notice as read: --read ID`,
    )
  if (values.session !== undefined && values.workspace)
    throw new UsageError('use --session or --workspace, not both')
  const given = [values.read && '--read', values.all && '--all', values['stop-hook'] && '--stop-hook']
  const actions = given.filter(Boolean)
  if (actions.length > 1) throw new UsageError(`use only one of ${actions.join(', ')}`)
  const session = values.workspace ? undefined : await sessionFor(values, terminal)
  const isHook = values['stop-hook'] === true
  if (isHook && session === undefined) {
    terminal.stderr(
      `mulligan inbox: no session in --session, ${SESSION_VARIABLE} or on stdin, so nothing is checked\n`,
    )
    return 0
  }
  return withRuntime(values, terminal, { absent: 'keep_out', shows: true }, async ({ ledger, place }) => {
    if (!ledger) {
      if (values.json) printJson(terminal, { notices: [] })
      else if (!isHook) terminal.stdout(nothingYet(place))
      return 0
    }
    const now = terminal.now()
    await catchUpNotices(ledger, { ...realTime, now: terminal.now })
    if (isHook) {
      const held = await showBeforeEnd(ledger, session as string, now)
      if (held.length === 0) return 0
      const reason = reasonToGoOn(held, session as string)
      printJson(terminal, { decision: 'block', reason })
      terminal.stderr(`${reason}\n`)
      return 2
    }
    const inbox = await inboxOf(ledger, { now, ...present({ session }) })
    const ids = values.read ?? (values.all ? inbox.map(({ id }) => id) : undefined)
    if (ids) {
      const unknown = ids.find(id => !isNoticeId(id))
      if (unknown !== undefined)
        throw new UsageError(
          `--read takes the id of a notice, such as notice_12, not ${JSON.stringify(unknown)}`,
        )
      const missing = await missingNotice(ledger, ids)
      if (missing !== undefined) throw new UsageError(`there is no ${missing}; "mulligan inbox" lists them`)
      const read = await markRead(ledger, ids, session ?? 'a person')
      if (values.json) printJson(terminal, { read })
      else terminal.stdout(`${read === 1 ? '1 notice' : `${read} notices`} marked as read.\n`)
      return 0
    }
    const shown = values.unread ? inbox.filter(({ readAt }) => readAt === undefined) : inbox
    if (values.json) printJson(terminal, { notices: shown.map(noticeToJson) })
    else if (shown.length === 0)
      terminal.stdout(session === undefined ? 'No notices.\n' : `No notices for session ${session}.\n`)
    else terminal.stdout(`${shown.map(notice => noticeInWords(notice, now)).join('\n')}\n`)
    return 0
  })
}

async function sessionFor(
  { session, 'stop-hook': isHook }: { session?: string | undefined; 'stop-hook'?: boolean | undefined },
  terminal: Terminal,
): Promise<string | undefined> {
  if (session !== undefined || !isHook || terminal.isTerminal) return sessionOf(session, terminal)
  const given = sessionIn(await terminal.readStdin())
  return given === undefined ? sessionOf(undefined, terminal) : sessionOf(given, terminal)
}

/** The session in the JSON that agents pass to their hooks. */
function sessionIn(stdin: string): string | undefined {
  try {
    const { session_id: id } = JSON.parse(stdin) as { session_id?: unknown }
    return typeof id === 'string' && id !== '' ? id : undefined
  } catch {
    return undefined
  }
}
