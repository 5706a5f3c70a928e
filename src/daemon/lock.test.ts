import { mkdtempSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { lockFolder } from './lock.ts'

it('the lock of a data folder has one holder, known by name, until it is released', () => {
  const folder = join(mkdtempSync(join(tmpdir(), 'mulligan-lock-')), 'state')
  const first = lockFolder(folder, 1_000)
  expect(first.held).toBe(true)
  expect(lockFolder(folder, 2_000)).toEqual({
    held: false,
    by: { pid: process.pid, host: expect.any(String), since: 1_000 },
  })
  if (first.held) first.release()
  const next = lockFolder(folder, 3_000)
  expect(next.held).toBe(true)
  if (next.held) next.release()
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(statSync(join(folder, 'daemon.lock')).mode & 0o777).toBe(0o600)
})
