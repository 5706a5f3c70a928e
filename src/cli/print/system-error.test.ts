import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { systemErrorInWords } from './system-error.ts'

const folder = mkdtempSync(join(tmpdir(), 'mulligan-system-error-'))
afterAll(() => rmSync(folder, { recursive: true }))

const systemError = (code: string, path: string) =>
  Object.assign(new Error(`${code}: something short, open '${path}'`), { code, path, syscall: 'open' })

it('names the folder in which a file cannot be made, not the draft', () => {
  expect(systemErrorInWords(systemError('EACCES', join(folder, 'trusted.json.17.ab')))).toBe(
    `cannot write in ${folder}: this user has no permission (EACCES); check its owner and permissions`,
  )
})

it.each([
  ['EPERM', 'this user has no permission'],
  ['EROFS', 'its file system is read-only (EROFS); choose another place'],
  ['ENOSPC', 'its disk is full (ENOSPC); free some space'],
  ['EDQUOT', 'the quota of this user is used up'],
])('says what %s means for a file that is there', (code, words) => {
  const file = join(folder, 'settings.json')
  writeFileSync(file, '{}')
  expect(systemErrorInWords(systemError(code, file))).toContain(`cannot use ${file}: ${words}`)
})

it('leaves alone what already has words, and what is no file error', () => {
  const own = Object.assign(new Error('cannot open the ledger'), { code: 'EACCES', path: '/x' })
  for (const error of [own, new Error('EACCES: x'), systemError('ENOENT', '/x'), 'EACCES', undefined])
    expect(systemErrorInWords(error)).toBeUndefined()
})
