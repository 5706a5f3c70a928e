import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { BUILT_EVERY_COMMAND } from '../../test/cli/command.ts'
import { hasPostgres, testSchema, WITHOUT_POSTGRES } from '../../test/ledger/postgres/schema.ts'

/** Runs every command in a process of its own, and resolves when that process has ended. */
async function runAll(database: string[]): Promise<unknown> {
  const folder = mkdtempSync(join(tmpdir(), 'mulligan-every-'))
  const child = spawn(process.execPath, [BUILT_EVERY_COMMAND, folder, ...database], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')])
  rmSync(folder, { recursive: true })
  return JSON.parse(output.trim().split('\n').at(-1) as string)
}

describe.concurrent('every command', () => {
  it('ends when its work has ended, on SQLite', async () => {
    expect(await runAll([])).toEqual({ problems: [], never: [] })
  })

  if (hasPostgres) {
    const { url } = testSchema()
    it('ends when its work has ended, on PostgreSQL', async () => {
      expect(await runAll([url])).toEqual({ problems: [], never: [] })
    })
  } else it.skip(WITHOUT_POSTGRES, () => {})
})
