import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testContext } from '../../test/capability/context.ts'
import { allEffects, type FileEffect, fileEffect } from './effects.ts'
import type { CheckAnswer } from './verification.ts'
import { verify } from './verify.ts'

const folder = mkdtempSync(join(tmpdir(), 'mulligan-effects-'))
const content = '# Notes\n\n## Addendum\n\nthe new part\n'
const sha256 = createHash('sha256').update(content).digest('hex')

beforeAll(() => {
  writeFileSync(join(folder, 'note.md'), content)
  mkdirSync(join(folder, 'folder.md'))
})
afterAll(() => rmSync(folder, { recursive: true }))

function ask(check: ReturnType<typeof allEffects>, params: unknown = {}) {
  return verify({ name: 'x', verification: { check } }, params, testContext())
}

describe('a check of a file', () => {
  it.each<[string, Partial<FileEffect>, string, string]>([
    ['holds the text', { contains: '## Addendum' }, 'note', 'done'],
    ['holds it in other letters', { contains: '## addendum' }, 'note', 'absent'],
    ['does not hold the text', { contains: 'something else' }, 'note', 'absent'],
    ['is exactly that', { sha256 }, 'note', 'done'],
    ['is exactly that, in capital letters', { sha256: sha256.toUpperCase() }, 'note', 'done'],
    ['is exactly that, with the name of the sum', { sha256: `sha256:${sha256}` }, 'note', 'done'],
    ['is another', { sha256: '0'.repeat(64) }, 'note', 'absent'],
    ['only has to exist', {}, 'note', 'done'],
    ['has lost the text', { lacks: 't-deleted' }, 'note', 'done'],
    ['still has it', { lacks: '## Addendum' }, 'note', 'absent'],
    ['does not exist', { contains: 'x' }, 'never', 'absent'],
    ['does not exist, and so has lost it', { lacks: 'x' }, 'never', 'done'],
    ['cannot be read', { contains: 'x' }, 'folder', 'unsure'],
  ])('that %s', async (_what, effect, file, state) => {
    const check = fileEffect({ path: join(folder, '{file}.md'), ...effect })
    expect((await ask(check, { file })).state).toBe(state)
  })

  it('is found by a path with backslashes too', async () => {
    mkdirSync(join(folder, 'inner'), { recursive: true })
    writeFileSync(join(folder, 'inner', 'x.md'), 'witness here')
    expect(await ask(fileEffect({ path: `${folder}\\inner\\x.md`, contains: 'witness' }))).toEqual({
      state: 'done',
    })
    expect(await ask(fileEffect({ path: `${folder}\\inner\\y.md` }))).toEqual({ state: 'absent' })
  })

  it('fills its texts from the parameters, and is unsure about a missing one', async () => {
    const check = fileEffect({ path: join(folder, 'note.md'), contains: '## {title}' })
    expect(await ask(check, { title: 'Addendum' })).toEqual({ state: 'done' })
    expect(await ask(check)).toEqual({
      state: 'unsure',
      reason: '## {title} names a parameter that was not given',
    })
  })
})

describe('several effects', () => {
  it.each<[CheckAnswer[], string, string]>([
    [['done', 'done'], 'done', 'done'],
    [['absent', 'absent'], 'absent', 'absent'],
    [['absent', 'done', 'absent'], 'unsure', 'absent'],
    [['unsure', 'absent'], 'unsure', 'unsure'],
    [['unsure', 'done'], 'unsure', 'unsure'],
    [['unsure', 'unsure'], 'unsure', 'unsure'],
    [[], 'unsure', 'unsure'],
  ])('that are %j are %s together, and %s if parts may be repeated', async (answers, state, partial) => {
    const checks = Object.fromEntries(answers.map((answer, index) => [`part${index}`, () => answer]))
    expect((await ask(allEffects(checks))).state).toBe(state)
    expect((await ask(allEffects(checks, { partial: 'run' }))).state).toBe(partial)
  })

  it('say which one is missing, or why one is unsure', async () => {
    expect(await ask(allEffects({ note: () => true, task: () => false }))).toEqual({
      state: 'unsure',
      reason: 'only part of it is there; missing: task',
    })
    expect(
      await ask(allEffects({ note: () => true, task: () => Promise.reject(new Error('down')) })),
    ).toEqual({
      state: 'unsure',
      reason: 'task: the verification failed: Error: down',
    })
  })
})
