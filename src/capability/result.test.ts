import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isCut, removeResults, resultFiles, storeResult, wholeResult } from './result.ts'
import { Mask } from './secret/mask.ts'

let folder: string
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'mulligan-result-')), 'results')
})
afterEach(() => rmSync(join(folder, '..'), { recursive: true }))

const of = { operation: 'op_1', run: 3 }
const large = { blob: 'é'.repeat(40_000), note: 'x' }

/** Stores a result that is too large. */
async function cutResult(...given: Parameters<typeof storeResult>) {
  const stored = await storeResult(...given)
  if (!isCut(stored)) throw new Error('it was not cut')
  return stored
}

describe('a result', () => {
  it('is stored whole up to 64 KiB, counted in bytes', async () => {
    const small = { a: 1, b: 'x'.repeat(50) }
    expect(await storeResult(small, of)).toEqual({ result: small })
    const full = 'x'.repeat(65_534)
    expect(await storeResult(full, of)).toEqual({ result: full })
    expect(isCut(await storeResult(`${full}x`, of))).toBe(true)
    expect(await storeResult(undefined, of)).toEqual({})
    expect(readdirSync(join(folder, '..'))).toEqual([])
  })

  it('above that is cut, with a note that says so', async () => {
    const stored = await cutResult(large, of)
    expect(stored.result.$cut).toMatchObject({
      bytes: Buffer.byteLength(JSON.stringify(large)),
      note: 'the result is larger than 65536 bytes; only the beginning was kept',
      keys: ['blob', 'note'],
    })
    expect(stored.result.$cut.preview).toHaveLength(4_000)
    expect(stored.result.$cut).not.toHaveProperty('file')
    expect(await wholeResult(stored, { operation: 'op_1', folder })).toBe(stored.result)
  })

  it('or is stored whole in a file that only its owner can read', async () => {
    const stored = await cutResult(large, { ...of, folder })
    expect(stored.result.$cut.file).toBe('op_1.3.json')
    expect(stored.result.$cut.note).toContain(join(folder, 'op_1.3.json'))
    expect(statSync(join(folder, 'op_1.3.json')).mode & 0o777).toBe(0o600)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(await wholeResult(stored, { operation: 'op_1', folder })).toEqual(large)
    expect(readdirSync(folder)).toEqual(['op_1.3.json'])
  })

  it('is cut if its file cannot be written', async () => {
    writeFileSync(folder, 'in the way')
    const stored = await cutResult(large, { ...of, folder })
    expect(stored.result.$cut.note).toContain('because its file could not be written')
    expect(stored.result.$cut).not.toHaveProperty('file')
  })

  it('of one run does not overwrite that of another, and all are deleted with their operation', async () => {
    await storeResult(large, { ...of, folder })
    await storeResult(large, { ...of, run: 4, folder })
    await storeResult(large, { operation: 'op_10', run: 1, folder })
    expect(await removeResults(folder, ['op_1', 'op_unknown'])).toBe(2)
    expect(readdirSync(folder)).toEqual(['op_10.1.json'])
    expect(await removeResults(join(folder, 'none'), ['op_1'])).toBe(0)
  })

  it('is found by its name, and nothing else in the folder is', async () => {
    await storeResult(large, { ...of, folder })
    const draft = '.op_2.1.json.0123abcd'
    for (const name of [
      draft,
      'op_x.1.json',
      'op_2.1.json.0123abcd',
      '.op_2.1.json',
      'notes.1.json',
      'op_2.json',
    ])
      writeFileSync(join(folder, name), '')
    mkdirSync(join(folder, 'op_3.1.json'))
    expect((await resultFiles(folder)).sort((a, b) => a.run - b.run)).toEqual([
      { name: draft, operation: 'op_2', run: 1, isDraft: true },
      { name: 'op_1.3.json', operation: 'op_1', run: 3, isDraft: false },
    ])
  })

  it('that looks like a cut one is returned unchanged, no matter what file it names', async () => {
    const stored = await cutResult(large, { ...of, folder })
    // Exactly what was stored for another operation.
    const forged = await storeResult(stored.result, { ...of, operation: 'op_2', folder })
    expect(isCut(forged)).toBe(false)
    expect(await wholeResult(forged, { operation: 'op_1', folder })).toEqual(stored.result)
  })

  it('above the maximum keeps only its beginning', async () => {
    const stored = await cutResult(large, { ...of, folder, maxBytes: 70_000 })
    expect(stored.result.$cut.note).toBe('the result is larger than 70000 bytes; only the beginning was kept')
    expect(existsSync(folder)).toBe(false)
  })

  it('with its own $cut field is left unchanged', async () => {
    const odd = await storeResult({ $cut: null }, of)
    expect(isCut(odd)).toBe(false)
    expect(await wholeResult(odd, { operation: 'op_1', folder })).toEqual({ $cut: null })
  })

  it('names a file in its folder and nowhere else', async () => {
    const stored = await cutResult(large, { operation: '../../x', run: 1, folder })
    expect(readdirSync(folder)).toEqual([stored.result.$cut.file])
    const forged = { $cut: { ...stored.result.$cut, file: '../secret.json' } }
    expect(await wholeResult({ result: forged, resultCut: true }, { operation: 'op_1', folder })).toBe(forged)
  })

  it('hides the secrets of the run before it is cut', async () => {
    const mask = new Mask(['hunter2hunter2'])
    const stored = await storeResult(
      { a: 'hunter2hunter2', b: new Error('bad hunter2hunter2') },
      { ...of, mask },
    )
    expect(JSON.stringify(stored)).not.toContain('hunter2')
    const preview = `${'x'.repeat(3_980)}hunter2hunter2${'y'.repeat(100_000)}`
    expect(JSON.stringify(await storeResult(preview, { ...of, mask }))).not.toContain('hunter')
  })
})
