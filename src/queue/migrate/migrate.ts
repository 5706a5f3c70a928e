import { createHash } from 'node:crypto'
import { LedgerError } from '../../ledger/error.ts'
import { type Row, type Side, TABLES, type Table } from './table.ts'

/** Progress of a migration. */
export interface MigrationProgress {
  /** The table that is being copied or compared. */
  table: string
  phase: 'copy' | 'verify'
  /** Rows of the table so far. */
  rows: number
}

/** What was moved. */
export interface Migrated {
  /** Rows of each table. */
  tables: Readonly<Record<string, number>>
  rows: number
}

/** Rows copied at once. */
const STEP = 500

/**
 * Moves everything from one ledger to another: copies it, rebuilds what is derived, then compares row by row. An interrupted
 * migration continues where it stopped. Refused if the target has data of its own.
 */
export async function migrate(
  from: Side,
  to: Side,
  {
    onProgress,
    beforeEnd,
    signal,
  }: {
    onProgress?: (progress: MigrationProgress) => void
    /** Moves what is in no common table. Called when all rows are there, and again after an interruption. */
    beforeEnd?: () => Promise<void>
    signal?: AbortSignal
  } = {},
): Promise<Migrated> {
  const mark = await to.mark()
  if (mark === undefined && (await hasRows(to)))
    throw new LedgerError('exists', `${to.place} already has a ledger: choose an empty target`)
  if (mark !== undefined && mark !== from.place)
    throw new LedgerError(
      'exists',
      `${to.place} has an unfinished migration from ${mark}: finish it, or choose an empty target`,
    )
  await from.freeze()
  await to.setMark(from.place)
  for (const table of TABLES) await copy(table)
  await to.finish()
  const tables: Record<string, number> = {}
  for (const table of TABLES) {
    const [ours, theirs] = [await sumOf(from, table), await sumOf(to, table)]
    if (ours.rows !== theirs.rows || ours.sum !== theirs.sum)
      throw new LedgerError(
        'corrupt',
        `${table.name} differs: ${ours.rows} rows in ${from.place}, ${theirs.rows} in ${to.place}; nothing was removed, do not use the copy`,
      )
    tables[table.name] = ours.rows
  }
  const [finding] = await to.check()
  if (finding !== undefined) throw new LedgerError('corrupt', `${to.place} failed its check: ${finding}`)
  await beforeEnd?.()
  // In this order: if it is interrupted in between, neither ledger can be used, and running it again finishes it.
  await from.setMoved(to.place)
  await to.setMark(undefined)
  return { tables, rows: Object.values(tables).reduce((sum, count) => sum + count, 0) }

  async function copy(table: Table): Promise<void> {
    const last = await to.last(table)
    let after = last === undefined ? undefined : [last]
    for (let rows = 0; ; ) {
      signal?.throwIfAborted()
      const some = await from.read(table, after, STEP)
      if (some.length > 0) await to.write(table, some)
      rows += some.length
      onProgress?.({ table: table.name, phase: 'copy', rows })
      if (some.length < STEP) return
      after = keyOf(table, some.at(-1) as Row) as number[]
    }
  }

  /** Independent of order: two databases sort texts differently. */
  async function sumOf(side: Side, table: Table): Promise<{ rows: number; sum: bigint }> {
    let [rows, sum] = [0, 0n]
    for (let after: (string | number)[] | undefined; ; ) {
      signal?.throwIfAborted()
      const some = await side.read(table, after, STEP)
      for (const row of some) sum = (sum + hashOfRow(row)) % 2n ** 64n
      rows += some.length
      onProgress?.({ table: table.name, phase: 'verify', rows })
      if (some.length < STEP) return { rows, sum }
      after = keyOf(table, some.at(-1) as Row)
    }
  }
}

function keyOf({ key }: Table, row: Row): (string | number)[] {
  return key.map(name => row[name] as string | number)
}

async function hasRows(side: Side): Promise<boolean> {
  // Opening a ledger already writes settings.
  for (const table of TABLES)
    if (table.name !== 'settings' && (await side.read(table, undefined, 1)).length > 0) return true
  return false
}

/** Columns by name, because the two databases list them in different orders. */
function hashOfRow(row: Row): bigint {
  const values = Object.keys(row)
    .sort()
    .map(name => [
      name,
      typeof row[name] === 'string' ? (row[name] as string).replaceAll('\0', '\uFFFD') : row[name],
    ])
  const digest = createHash('sha256').update(JSON.stringify(values)).digest()
  return digest.readBigUInt64BE(0)
}
