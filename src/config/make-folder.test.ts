import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { FolderError, makeFolder } from './make-folder.ts'

let base: string
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'mulligan-folder-'))
})
const refused = (folder: string) => {
  try {
    makeFolder(folder)
  } catch (error) {
    if (error instanceof FolderError) return error
    throw error
  }
  throw new Error('it was made')
}

describe('making a folder', () => {
  it('creates all that is missing, for the owner only, and leaves existing folders as they are', () => {
    mkdirSync(join(base, 'open'), { mode: 0o755 })
    makeFolder(join(base, 'open', 'a', 'b'))
    const mode = (path: string) => statSync(join(base, path)).mode & 0o777
    expect([mode('open'), mode('open/a'), mode('open/a/b')]).toEqual([0o755, 0o700, 0o700])
    makeFolder(join(base, 'open', 'a', 'b'))
    makeFolder(join(base, 'open'))
    expect(mode('open')).toBe(0o755)
    makeFolder('/')
  })

  it('takes a path from the working folder, and one through a link', () => {
    makeFolder(relative(process.cwd(), join(base, 'relative', 'x')))
    expect(existsSync(join(base, 'relative', 'x'))).toBe(true)
    mkdirSync(join(base, 'real'))
    symlinkSync(join(base, 'real'), join(base, 'link'))
    makeFolder(join(base, 'link', 'x'))
    expect(existsSync(join(base, 'real', 'x'))).toBe(true)
  })

  it.each([
    ['file', 'file'],
    [join('file', 'a', 'b'), 'file'],
    ['nowhere', 'nowhere'],
    [join('nowhere', 'a'), 'nowhere'],
  ])('is refused if something else is in the way: %s', (path, culprit) => {
    writeFileSync(join(base, 'file'), '')
    symlinkSync(join(base, 'gone'), join(base, 'nowhere'))
    const { code, message } = refused(join(base, path))
    expect(code).toBe('ENOTDIR')
    expect(message).toBe(
      `cannot make the folder ${join(base, path)}: ${join(base, culprit)} exists and is not a folder`,
    )
    expect(readdirSync(base).sort()).toEqual(['file', 'nowhere'])
  })

  it.runIf(existsSync('/proc/self'))('is refused at once below /proc, with the cause', () => {
    expect(refused('/proc/x/y').message).toBe(
      'cannot make the folder /proc/x/y: /proc exists, but folders cannot be created in it (ENOENT)',
    )
  })

  it("passes on the system's message if there is no better one", () => {
    expect(refused(join(base, 'x'.repeat(300))).message).toContain('ENAMETOOLONG')
  })
})
