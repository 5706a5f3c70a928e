import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { testContext } from '../../test/capability/context.ts'
import { vectorsOf } from '../../test/vectors.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { defineCapability } from './define.ts'
import { allEffects, type FileEffect, fileEffect } from './effects.ts'
import { partsNotVerified } from './partly-verified.ts'
import type { Check, CheckAnswer } from './verification.ts'
import { verify } from './verify.ts'
import { runWork, workFailure } from './work.ts'

/**
 * The retry queue that Mulligan adopted this from checked the file system for a write. Its checks work
 * here; its answers verified, absent and indeterminate are our done, absent and unsure. It ran again what it could not
 * verify, and partial effects; here those are unsure, which never run again blindly.
 */
type Theirs = 'verified' | 'absent' | 'indeterminate' | 'partial'

const OURS = { verified: 'done', absent: 'absent', indeterminate: 'unsure', partial: 'unsure' } as const

interface Written {
  files?: Record<string, string>
  path: string
  /** The whole file as `sha256:…`, a text it must contain, or one it must not. */
  hint: string | null
  mode: 'replace' | 'insert' | 'append' | 'absent'
  isUnreadable?: boolean
  hasNoRoot?: boolean
}

let vault: string
beforeEach(() => {
  vault = mkdtempSync(join(tmpdir(), 'mulligan-vault-'))
})
afterEach(() => rmSync(vault, { recursive: true }))

function write(files: Record<string, string> = {}): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(vault, name)), { recursive: true })
    writeFileSync(join(vault, name), content)
  }
}

async function ask(check: Check<unknown>, params: unknown = {}, isRooted = true) {
  const context = testContext({ env: isRooted ? { VAULT: vault } : {} })
  return (await verify({ name: 'x', verification: { check } }, params, context)).state
}

const WITNESS = {
  replace: { sha256: '{hint}' },
  insert: { contains: '{hint}' },
  append: { contains: '{hint}' },
  absent: { lacks: '{hint}' },
} satisfies Record<Written['mode'], Partial<FileEffect>>

/** Whether a write is there, as a capability with these parameters would check it. */
async function found({ files, path, hint, mode, isUnreadable, hasNoRoot }: Written): Promise<string> {
  write(isUnreadable ? {} : files)
  if (isUnreadable) mkdirSync(join(vault, path), { recursive: true })
  return ask(fileEffect({ path: '{env:VAULT}/{path}', ...WITNESS[mode] }), { path, hint }, !hasNoRoot)
}

const sum = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`
const note = { 'notes/x.md': '## Original\n\n## Addendum\n\nthe new content\n' }

describe('an unconfirmed write', () => {
  it.each<[Theirs, string, Written]>([
    [
      'verified',
      'all of it is that',
      { files: note, path: 'notes/x.md', hint: sum(note['notes/x.md']), mode: 'replace' },
    ],
    ['verified', 'it is in it', { files: note, path: 'notes/x.md', hint: '## Addendum', mode: 'insert' }],
    [
      'verified',
      'it is at its end',
      { files: note, path: 'notes/x.md', hint: 'new content\n', mode: 'append' },
    ],
    ['verified', 'it is gone', { files: note, path: 'notes/x.md', hint: 't-gone', mode: 'absent' }],
    [
      'verified',
      'its path has backslashes',
      { files: note, path: 'notes\\x.md', hint: 'Addendum', mode: 'insert' },
    ],
    [
      'absent',
      'it still stands there',
      { files: note, path: 'notes/x.md', hint: 'Original', mode: 'absent' },
    ],
    ['absent', 'there is no such file', { path: 'notes/never.md', hint: 'anything', mode: 'insert' }],
    [
      'absent',
      'it holds something else',
      { files: note, path: 'notes/x.md', hint: 'our text', mode: 'insert' },
    ],
    [
      'absent',
      'its letters are others',
      { files: note, path: 'notes/x.md', hint: '## addendum', mode: 'insert' },
    ],
    ['absent', 'its sum is another', { files: note, path: 'notes/x.md', hint: sum('x'), mode: 'replace' }],
    ['absent', 'the sum is none', { files: note, path: 'notes/x.md', hint: 'deadbeef', mode: 'replace' }],
    [
      'indeterminate',
      'it is unknown what to look for',
      { files: note, path: 'notes/x.md', hint: null, mode: 'insert' },
    ],
    [
      'indeterminate',
      'it is unknown where',
      { path: 'notes/x.md', hint: 'x', mode: 'insert', hasNoRoot: true },
    ],
    [
      'indeterminate',
      'it cannot be read',
      { path: 'notes/x.md', hint: 'x', mode: 'insert', isUnreadable: true },
    ],
  ])('is %s if %s', async (verdict, _why, written) => {
    expect(await found(written)).toBe(OURS[verdict])
  })

  const lines = vectorsOf('workbuddy', 'post_write_verify')
  it.skipIf(lines.length === 0).each(lines)('$id', async ({ input, expected }) => {
    const { content_hint: hint, write_mode: mode } = input
    const isUnreadable = 'read_raises' in input
    const hasNoRoot = !('files' in input)
    const written = { ...input, hint, mode, isUnreadable, hasNoRoot } as unknown as Written
    expect(await found(written)).toBe(OURS[expected.verdict as Theirs])
  })
})

interface Effect {
  path?: string
  path_template?: string
  witness?: string | null
  witness_template?: string
  witness_mode?: string
  mode?: string
  resolver_returns?: Record<string, unknown> | null
}

/** One of several effects. What the work generates is known only to the check, if at all. */
function effectOf(effect: Effect): Check<unknown> {
  const text = effect.witness_template ?? effect.witness ?? undefined
  const mode = effect.witness_mode ?? effect.mode
  const witness =
    mode === 'absent' ? { lacks: text } : mode === 'sha256' ? { sha256: text } : { contains: text }
  const path = `{env:VAULT}/${effect.path_template ?? effect.path}`
  const check = fileEffect({ path, ...(text === undefined ? {} : (witness as Partial<FileEffect>)) })
  return (params, context) => check({ ...(params as object), ...effect.resolver_returns }, context)
}

const minted = { task_id: 't-1', note_uuid: 'abc' }
const both: Effect[] = [
  { path_template: 'notes/{note_uuid}.md', witness_template: '{text}', resolver_returns: minted },
  { path: 'list.md', witness_template: 'ID {task_id}', resolver_returns: minted },
]

async function manifest(
  effects: readonly Effect[],
  params: unknown,
  files: Record<string, string>,
  partial?: 'run',
) {
  write(files)
  const checks = Object.fromEntries(effects.map((effect, index) => [`effect ${index}`, effectOf(effect)]))
  return ask(allEffects(checks, partial ? { partial } : {}), params)
}

describe('several effects of one call', () => {
  it.each<[Theirs, string, Effect[], Record<string, string>]>([
    ['verified', 'all are there', both, { 'notes/abc.md': '# my text', 'list.md': '- my text ID t-1' }],
    ['partial', 'only the first is', both, { 'notes/abc.md': '# my text', 'list.md': '- other ID t-2' }],
    ['absent', 'none is', both, { 'list.md': '' }],
    [
      'verified',
      'a text is gone',
      [{ path: 'list.md', witness: 'gone', mode: 'absent' }],
      { 'list.md': 'clean' },
    ],
    ['verified', 'the file is gone with it', [{ path: 'list.md', witness: 'gone', mode: 'absent' }], {}],
    ['verified', 'it only has to exist', [{ path: 'list.md', witness: null }], { 'list.md': 'anything' }],
    [
      'indeterminate',
      'it is unknown what was minted',
      [{ path_template: 'notes/{note_uuid}.md', witness_template: '{text}', resolver_returns: null }],
      {},
    ],
    ['indeterminate', 'there is none to look for', [], {}],
  ])('are %s if %s', async (verdict, _why, effects, files) => {
    expect(await manifest(effects, { text: 'my text' }, files)).toBe(OURS[verdict])
  })

  it('are repeated if a part is missing and the work says this does no harm', async () => {
    expect(await manifest(both, { text: 'my text' }, { 'notes/abc.md': 'my text' }, 'run')).toBe('absent')
  })

  const lines = vectorsOf('workbuddy', 'effects_verify')
  it.skipIf(lines.length === 0).each(lines)('$id', async ({ input, expected }) => {
    const { statuses, effects, params, files = {} } = input as Record<string, never>
    if (statuses !== undefined) {
      const said = statuses as readonly Theirs[]
      const checks = said.map((status, index) => [`part ${index}`, () => OURS[status] as CheckAnswer])
      const state = await ask(allEffects(Object.fromEntries(checks)))
      // If one part is unsure, the whole is.
      expect(state).toBe(said.includes('indeterminate') ? 'unsure' : OURS[expected.verdict as Theirs])
    } else {
      const state = await manifest(effects ?? [input as unknown as Effect], params ?? {}, files)
      expect(state).toBe(OURS[(expected.verdict ?? expected.status) as Theirs])
    }
  })
})

describe('a result that verifies itself', () => {
  const lines = vectorsOf('workbuddy', 'partial_verification').filter(
    ({ expected }) => 'failing_keys' in expected,
  )
  it.skipIf(lines.length === 0).each(lines)('$id', ({ input, expected }) => {
    expect(partsNotVerified(input)).toEqual(expected.failing_keys)
  })

  it('is not a success while part of it is missing', () => {
    expect(partsNotVerified({ success: true, verified: { line: 'absent', store: 'verified' } })).toEqual([
      'line',
    ])
  })
})

describe('the time limit of one try', () => {
  const work = (timeoutMs?: number) =>
    defineCapability({
      retry: 'none',
      name: 'work',
      params: z.unknown(),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      run: (_params, { remainingMs, signal }) =>
        new Promise(resolve => {
          if (remainingMs === Infinity) resolve('unbounded')
          else signal.addEventListener('abort', () => resolve(undefined), { once: true })
        }),
    })

  it('is unbounded unless the capability says otherwise', async () => {
    expect(await runWork(work(), {}, testContext())).toEqual({ ended: 'returned', value: 'unbounded' })
  })

  it('ends the try, which counts as a timeout that may have had an effect', async () => {
    const time = new FakeTime()
    const outcome = await time.until(runWork(work(50), {}, testContext(), { time }))
    expect(outcome).toMatchObject({ ended: 'timedOut' })
    expect(workFailure(outcome, { now: time.now() })).toMatchObject({ class: 'timeout', effect: 'maybe' })
  })

  it.each([0, -5, Number.NaN])('is refused by name if it is %d', timeoutMs => {
    expect(() => work(timeoutMs)).toThrow('timeoutMs')
  })
})
