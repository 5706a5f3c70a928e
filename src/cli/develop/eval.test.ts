import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { runCommand } from '../../../test/cli/terminal.ts'

let cwd: string
const entries = [
  {
    id: 'a',
    provider: 'openai',
    surface: 'http',
    input: { status: 429, headers: { 'retry-after': '7' }, body: '' },
    label: { class: 'throttle', kind: 'quota', retryAfterMs: 7_000 },
    confidence: 'high',
  },
  {
    id: 'b',
    provider: 'x',
    surface: 'sdk',
    input: {
      error: {
        name: 'AuthenticationError',
        message: '401 invalid key',
        status: 401,
        constructorName: 'AuthenticationError',
      },
    },
    label: { class: 'permanent', kind: 'forbidden', retryAfterMs: null },
    confidence: 'high',
  },
  {
    id: 'c',
    provider: 'x',
    surface: 'value',
    input: { value: { ok: true } },
    label: { class: 'none', kind: 'none', retryAfterMs: null },
    confidence: 'high',
  },
  {
    id: 'd',
    provider: 'y',
    surface: 'cli',
    input: { exitCode: 1, signal: null, stdout: '', stderr: 'connection reset' },
    label: { class: 'permanent', kind: 'config', retryAfterMs: null },
    confidence: 'medium',
  },
]

beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'mulligan-'))
  writeFileSync(join(cwd, 'set.jsonl'), `${entries.map(entry => JSON.stringify(entry)).join('\n')}\n`)
  writeFileSync(join(cwd, 'broken.jsonl'), '{"id":"a"}\n')
  writeFileSync(join(cwd, 'surface.jsonl'), `${JSON.stringify({ ...entries[0], surface: 'fax' })}\n`)
  const labelled = (label: object) => `${JSON.stringify({ ...entries[0], label })}\n`
  writeFileSync(join(cwd, 'class.jsonl'), labelled({ class: 'throtle', kind: 'quota' }))
  writeFileSync(join(cwd, 'kind.jsonl'), `\n${labelled({ class: 'throttle', kind: 'rate_limt' })}`)
  writeFileSync(join(cwd, 'text.jsonl'), '\nnot json\n')
  writeFileSync(join(cwd, 'empty.jsonl'), '\n')
})

const run = (...argv: string[]) => runCommand(['eval', ...argv], { cwd })

describe('mulligan eval', () => {
  it('uses the error signatures of a named config, and of no other', async () => {
    // It is where every other command would find it.
    writeFileSync(
      join(cwd, 'mulligan.toml'),
      '[[provider]]\nid = "y"\nerror_signatures = { throttle = ["connection reset"] }\n',
    )
    const answered = async (...argv: string[]) => {
      const { stdout } = await run('set.jsonl', '--json', ...argv)
      return JSON.parse(stdout).confusion.permanent
    }
    expect(await answered()).toMatchObject({ transient: 1 })
    expect(await answered('--config', 'mulligan.toml')).toMatchObject({ throttle: 1 })
    expect(await run('set.jsonl', '--config', 'gone.toml')).toMatchObject({ code: 1 })
  })

  it('grades class, kind, decision and times, for all and by confidence', async () => {
    const { code, stdout } = await run('set.jsonl', '--json')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      total: 4,
      classAccuracy: 0.75,
      kindAccuracy: 0.75,
      decisionAccuracy: 2 / 3,
      falseRetryRate: 0.5,
      retryAfterAccuracy: 1,
      retryAfterSpecificity: 1,
      confusion: { throttle: { throttle: 1 }, permanent: { permanent: 1, transient: 1 }, none: { none: 1 } },
      high: { total: 3, classAccuracy: 1 },
      medium: { total: 1, classAccuracy: 0, retryAfterAccuracy: null },
    })
  })

  it('counts a failure that should stop as wrong if it is called none', async () => {
    const input = { value: { ok: true } }
    const label = { class: 'permanent', kind: 'auth', retryAfterMs: null }
    writeFileSync(join(cwd, 'missed.jsonl'), `${JSON.stringify({ ...entries[2], input, label })}\n`)
    expect(JSON.parse((await run('missed.jsonl', '--json')).stdout)).toMatchObject({
      decisionAccuracy: 0,
      falseRetryRate: 0,
    })
  })

  it('shows the figures and a confusion table', async () => {
    const { stdout } = await run('set.jsonl')
    expect(stdout).toMatch(/class\s+75\.0 %\s+100\.0 %\s+0\.0 %/)
    expect(stdout).toMatch(/permanent\s+·\s+1\s+·\s+1/)
  })

  it('writes predictions as JSON lines', async () => {
    await run('set.jsonl', '--predictions', 'out.jsonl')
    const lines = readFileSync(join(cwd, 'out.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(lines[0]).toEqual({ id: 'a', class: 'throttle', kind: 'rate_limit', retryAfterMs: 7_000 })
    expect(lines[2]).toEqual({ id: 'c', class: 'none', kind: 'none', retryAfterMs: null })
  })

  it('breaks the figures down by provider or kind', async () => {
    expect(JSON.parse((await run('set.jsonl', '--by', 'provider', '--json')).stdout).by).toMatchObject({
      openai: { total: 1 },
      x: { total: 2 },
    })
    expect((await run('set.jsonl', '--by', 'kind')).stdout).toMatch(/permanent\/config\s+1\s+0\.0 %/)
  })

  it('warns about kinds that do not exist, and grades the rest', async () => {
    const { code, stdout, stderr } = await run('kind.jsonl', '--json')
    expect(code).toBe(0)
    expect(stderr).toContain('kind "rate_limt", which is unknown; did you mean rate_limit?')
    expect(JSON.parse(stdout)).toMatchObject({ total: 1, classAccuracy: 1, kindAccuracy: 0 })
  })

  it('fails below the floor, and only then', async () => {
    expect((await run('set.jsonl', '--fail-under', '0.75')).code).toBe(0)
    expect(await run('set.jsonl', '--fail-under', '0.8')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('75.0 % is below'),
    })
  })

  it.each([
    [[], 2, 'name at least one FILE'],
    [['nope.jsonl'], 1, 'cannot read nope.jsonl'],
    [['corpus'], 1, 'cannot read corpus: ENOENT, no such file\n'],
    [
      ['class.jsonl'],
      1,
      'class.jsonl:1: entry a has class "throtle", which is unknown; did you mean throttle?',
    ],
    [['set.jsonl', '--predictions', 'gone/out.jsonl'], 1, 'the folder gone does not exist'],
    [['broken.jsonl'], 1, 'broken.jsonl:1: entry a needs an "input" object'],
    [['surface.jsonl'], 1, 'surface "fax"; one of: cli'],
    [['text.jsonl'], 1, 'text.jsonl:2: not JSON'],
    [['empty.jsonl'], 2, 'no entries'],
    [['set.jsonl', '--by', 'color'], 2, '--by takes provider or kind'],
    [['set.jsonl', '--fail-under', '95'], 2, 'between 0 and 1'],
  ])('answers %j with exit code %i', async (argv, code, message) => {
    const ran = await run(...argv)
    expect(ran).toMatchObject({ code, stdout: '' })
    expect(ran.stderr).toContain(message)
  })
})
