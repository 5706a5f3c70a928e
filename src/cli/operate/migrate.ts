import { dirname, join, resolve } from 'node:path'
import { dataFolder } from '../../config/data-folder.ts'
import { isThere } from '../../config/private-folder.ts'
import { lockFolder } from '../../daemon/lock.ts'
import { inNumbers } from '../../daemon/words/in-numbers.ts'
import { recordChange } from '../../ledger/change.ts'
import { LedgerError } from '../../ledger/error.ts'
import { LEDGER_NAME } from '../../ledger/location.ts'
import { addressOf, isPostgresUrl } from '../../ledger/postgres/address.ts'
import type { PostgresLedger } from '../../ledger/postgres/postgres-ledger.ts'
import { migrate } from '../../queue/migrate/migrate.ts'
import { refuseRunners } from '../../queue/migrate/refuse-runners.ts'
import type { Side } from '../../queue/migrate/table.ts'
import { RESULTS_FOLDER } from '../../queue/open.ts'
import { cleaningUp } from '../../time/clean-up.ts'
import { parseArguments, UsageError } from '../flag/arguments.ts'
import { userOf } from '../runtime/changing.ts'
import { databaseOf, loadFor, RUNTIME_OPTIONS, RUNTIME_USAGE } from '../runtime/runtime.ts'
import type { Terminal } from '../terminal.ts'

export const usage = `Usage: mulligan ledger migrate --to postgres://ROLE@HOST/DATABASE[?schema=NAME] | --to FOLDER [OPTIONS]
Moves the ledger of the config to another place and compares both row by row. Stop all daemons first. The source keeps its
rows, and is marked as moved, so that nobody runs them twice; a migration that was broken off goes on where it was. The key of
secrets stays in the data folder, and so do large results in files, until the daemon there takes them into the database.

  --to PLACE        where to: a PostgreSQL database, or a folder for a ledger in a file; empty, or broken off before
  --json            JSON on stdout
${RUNTIME_USAGE}

Exit codes: 0 moved and equal, 1 refused or failed, 2 wrong usage.`

const options = { ...RUNTIME_OPTIONS, to: { type: 'string' }, json: { type: 'boolean' } } as const

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(argv, { usage, options })
  if (positionals.length > 0) throw new UsageError(`migrate takes no ${JSON.stringify(positionals[0])}`)
  if (values.to === undefined) throw new UsageError('name where to with --to')
  // A mistyped scheme is no folder. What an address may be, the address itself says.
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(values.to)) addressOf(values.to)
  const loaded = loadFor(values, terminal)
  const source = databaseOf(loaded, terminal) ?? join(dataFolder(loaded, terminal), LEDGER_NAME)
  const target = isPostgresUrl(values.to) ? values.to : join(resolve(terminal.cwd, values.to), LEDGER_NAME)
  if (!isPostgresUrl(source) && !isThere(source))
    throw new LedgerError('io', `no ledger at ${source}; name its folder with --data`)
  if (sameOf(source) === sameOf(target))
    throw new UsageError(`--to is where the ledger is: ${sameOf(source)}`)
  const releases: (() => void | Promise<void>)[] = []
  const move = async () => {
    const from = await open(source, terminal, releases)
    const to = await open(target, terminal, releases)
    const isLive = terminal.stderrIsTerminal === true
    const { tables, rows } = await migrate(from, to, {
      signal: terminal.signal,
      beforeEnd: () => resultsMoved(from, to, dirname(target), terminal.signal),
      onProgress: ({ table, phase, rows: count }) => {
        if (!isLive) return
        terminal.clearLine?.()
        terminal.stderr(`${phase === 'copy' ? 'copying' : 'comparing'} ${table}: ${count} rows`)
      },
    }).finally(() => isLive && terminal.clearLine?.())
    if (values.json) terminal.stdout(`${JSON.stringify({ from: from.place, to: to.place, rows, tables })}\n`)
    else {
      terminal.stdout(
        `moved ${inNumbers(tables.operations ?? 0, 'operation')} and all that belongs to them, ${inNumbers(rows, 'row')}, to ${to.place}\n`,
      )
      terminal.stdout(
        isPostgresUrl(target)
          ? 'Both are equal. Now set [queue] database to it and start the daemons.\n'
          : 'Both are equal. Now remove [queue] database, set [queue] data to the folder and start the daemon.\n',
      )
    }
    return 0
  }
  const code = await cleaningUp(move, () => cleaningUp(async () => {}, ...releases.reverse()))
  await recordMove(target, sameOf(source), terminal)
  return code
}

/** Moves the large results that only a database keeps. Those in files stay, and the daemon there takes them in. */
async function resultsMoved(from: Side, to: Side, folder: string, signal: AbortSignal): Promise<void> {
  if (!isOnServer(from)) return
  const { moveResults } = await import('../../queue/migrate/move-results.ts')
  const target = isOnServer(to) ? { store: to.ledger.results } : { folder: join(folder, RESULTS_FOLDER) }
  await moveResults(from.ledger, target, signal)
}

function isOnServer(side: Side): side is Side & { ledger: PostgresLedger } {
  return 'ledger' in side
}

/** Records in the new place where the ledger came from, and who moved it. */
async function recordMove(target: string, from: string, terminal: Terminal): Promise<void> {
  const ledger = isPostgresUrl(target)
    ? await (await import('../../ledger/postgres/postgres-ledger.ts')).openPostgresLedger({
        database: target,
      })
    : await (await import('../../ledger/sqlite/sqlite-ledger.ts')).openLedger({ file: target })
  await cleaningUp(
    () =>
      recordChange(ledger, { by: userOf(terminal.env), via: 'command', action: 'migrate', subject: from }),
    () => ledger.close(),
  )
}

/** Opens one side, which nobody else may use meanwhile. */
async function open(
  place: string,
  terminal: Terminal,
  releases: (() => void | Promise<void>)[],
): Promise<Side> {
  if (!isPostgresUrl(place)) {
    const lock = lockFolder(dirname(place), terminal.now())
    if (!lock.held)
      throw new LedgerError(
        'in_use',
        `a daemon is using ${dirname(place)}${lock.by ? ` (process ${lock.by.pid} on ${lock.by.host})` : ''}; stop it first`,
      )
    releases.push(() => lock.release())
    const { openLedger } = await import('../../ledger/sqlite/sqlite-ledger.ts')
    const ledger = await openLedger({ file: place })
    await cleaningUp(
      () => refuseRunners(ledger, place),
      () => ledger.close(),
    )
    const { sqliteSide } = await import('../../queue/migrate/sqlite-side.ts')
    const side = await sqliteSide(place)
    releases.push(() => side.close())
    return side
  }
  const { postgresSide } = await import('../../queue/migrate/postgres-side.ts')
  const side = await postgresSide(place)
  releases.push(() => side.close())
  await refuseRunners(side.ledger, side.place)
  return side
}

/** What tells two places apart. */
function sameOf(place: string): string {
  return isPostgresUrl(place) ? addressOf(place).label : place
}
