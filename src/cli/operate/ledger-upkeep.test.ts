import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { runCommand } from '../../../test/cli/terminal.ts'
import { openLedger } from '../../ledger/sqlite/sqlite-ledger.ts'

const DAY = 86_400_000
let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'mulligan-upkeep-'))
  writeFileSync(join(cwd, 'mulligan.toml'), '[queue]\ndata = "data"\nprune = { dead = "5d" }\n')
})
const mulligan = (...argv: string[]) => runCommand(argv, { cwd, now: 100 * DAY })
const retention = async (...argv: string[]) =>
  JSON.parse((await mulligan('ledger', 'retention', '--json', ...argv)).stdout).retention

describe('ledger retention', () => {
  it('shows what the config says, and what was set for all hosts of the ledger', async () => {
    const of = (key: string, after_ms: number, set_in: string) => ({ key, after_ms, set_in })
    expect(await retention()).toEqual([
      of('succeeded', 30 * DAY, 'config'),
      of('dead', 5 * DAY, 'config'),
      of('events', 30 * DAY, 'config'),
      of('workflows', 90 * DAY, 'config'),
    ])
    await retention('--dead', '1d')
    expect(await retention('--succeeded', '2h')).toMatchObject([
      of('succeeded', 7_200_000, 'ledger'),
      of('dead', DAY, 'ledger'),
      { set_in: 'config' },
      { set_in: 'config' },
    ])
    expect((await mulligan('ledger', 'retention')).stdout).toMatch(
      /^dead operations +1 d +set in the ledger$/m,
    )
    expect((await retention('--reset'))[1]).toEqual(of('dead', 5 * DAY, 'config'))
  })

  it('is what prune deletes by', async () => {
    await mulligan('submit', 'x', '--unchecked')
    await mulligan('ops', 'cancel', 'op_1')
    const prune = async () => JSON.parse((await mulligan('prune', '--json')).stdout).dead
    expect(await prune()).toBe(0)
    await retention('--dead', '0s')
    expect(await prune()).toBe(1)
    expect((await mulligan('audit')).stdout).toContain('ledger retention')
  })

  it.each([
    [['--events', '5m'], '--events must be at least 1h'],
    [['--dead', 'soon'], '--dead'],
    [['--reset', '--dead', '1d'], '--reset takes no durations'],
    [['14d'], 'ledger retention takes no "14d"'],
  ])('refuses %j', async (argv, words) => {
    const { code, stderr } = await mulligan('ledger', 'retention', ...argv)
    expect(code).toBe(2)
    expect(stderr).toContain(words)
  })
})

describe('ledger size', () => {
  it('shows the size, the growth and the days, and status the size', async () => {
    const file = join(cwd, 'data', 'ledger.db')
    await mulligan('submit', 'x', '--unchecked')
    const ledger = await openLedger({ file })
    const { bytes } = await ledger.size()
    await ledger.setSetting('sizes', [
      [90 * DAY, 1_000],
      [96 * DAY, bytes - 2_000],
    ])
    await ledger.close()
    expect(bytes).toBeGreaterThan(10_000)
    const { stdout } = await mulligan('ledger', 'size')
    expect(stdout).toMatch(/: [\d.]+ kB.*, 2\.0 kB more than 4 d ago\n1970-04-01 +1\.0 kB\n1970-04-07 /)
    expect(JSON.parse((await mulligan('ledger', 'size', '--json')).stdout)).toMatchObject({
      bytes,
      samples: [{ at: '1970-04-01T00:00:00.000Z', bytes: 1_000 }, {}],
    })
    expect((await mulligan('status')).stdout).toMatch(/^ledger +[\d.]+ kB, 2\.0 kB more than 4 d ago$/m)
    expect(JSON.parse((await mulligan('status', '--json')).stdout).ledger_bytes).toBe(bytes)
  })
})
