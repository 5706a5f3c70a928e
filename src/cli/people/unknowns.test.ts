import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { runCommand } from '../../../test/cli/terminal.ts'
import { defineCapability } from '../../capability/define.ts'
import { classify } from '../../failure/classify.ts'
import type { Failure } from '../../failure/failure.ts'
import { type OpenedQueue, openQueue } from '../../queue/open.ts'

const COUNT = 50

let folder: string
let queues: OpenedQueue[]
let isBroken: boolean
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mulligan-unknowns-'))
  queues = []
  isBroken = true
})
afterEach(async () => {
  for (const queue of queues) await queue.close()
})

const mulligan = (...argv: string[]) =>
  runCommand([...argv, '--data', join(folder, 'state')], { cwd: folder, now: Date.now, env: { USER: 'ada' } })
const json = async (...argv: string[]) => JSON.parse((await mulligan(...argv, '--json')).stdout)

const work = defineCapability({
  name: 'work',
  params: z.object({ n: z.number() }),
  retry: 'replay',
  run: ({ n }: { n: number }) => {
    if (isBroken) throw new Error(`job ${n}: the flux capacitor of /srv/unit-${n}/core is detuned`)
    return n
  },
})

/** A queue with a runner, as in another process. */
const openRunner = async () => {
  const queue = await openQueue({ data: join(folder, 'state'), capabilities: [work as never] })
  queues.push(queue)
  await queue.runner({ concurrency: 25 }).start()
  return queue
}

/** Resolves once the condition holds; checks it at every change. */
const once = (queue: OpenedQueue, isSo: () => Promise<boolean>) =>
  new Promise<void>(resolve => {
    const look = async () => {
      if (!(await isSo())) return
      stop()
      resolve()
    }
    const stop = queue.ledger.onChange(() => void look())
    void look()
  })
const until = (queue: OpenedQueue, count: number, state: 'parked' | 'succeeded' | 'scheduled') =>
  once(queue, async () => (await queue.ledger.counts({ capability: 'work' })).states[state] === count)

const fiftyParked = async () => {
  const first = await openRunner()
  await openRunner()
  await first.submitMany(Array.from({ length: COUNT }, (_, n) => ({ capability: 'work', params: { n } })))
  await until(first, COUNT, 'parked')
  return first
}
const fingerprint = async () => (await json('unknowns', 'ls')).unknowns[0].fingerprint as string

describe('a whole fingerprint', () => {
  it('is found even if many unknowns are newer', async () => {
    const queue = await openQueue({ data: join(folder, 'state'), capabilities: [] })
    queues.push(queue)
    const failures = Array.from({ length: 1_001 }, (_, n) => {
      const failure = classify('an unknown sentence') as Failure
      return { ...failure, fingerprint: `fp1:${n.toString(16).padStart(16, '0')}` }
    })
    await queue.ledger.transaction(writes => {
      for (const failure of failures) writes.recordUnknown({ failure, at: Date.now(), outcome: 'ended' })
    })
    const { code, stdout } = await mulligan('unknowns', 'show', 'fp1:0000000000000000')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^fp1:0{16}\n/)
  })
})

describe('fifty operations that fail with an unknown message', () => {
  it('are one unknown; labelled transient, they all run, and the next such failure is transient at once', async () => {
    const queue = await fiftyParked()
    const { unknowns } = await json('unknowns', 'ls')
    expect(unknowns).toHaveLength(1)
    expect(unknowns[0]).toMatchObject({ provider: null, count: COUNT, outcomes: { parked: COUNT } })
    const shown = await mulligan('unknowns', 'show', await fingerprint())
    expect(shown.stdout).toContain('50 operations wait for a label')
    expect(shown.stdout).toContain('proposed signature: ')
    isBroken = false
    const preview = await mulligan('unknowns', 'label', await fingerprint(), 'transient')
    expect(preview.stdout).toContain('0 flips')
    expect(preview.stdout).toContain(`unknown → transient: ${COUNT}`)
    expect(preview.stdout).toContain('Nothing changed yet; to apply: --yes')
    const given = await json(
      'unknowns',
      'label',
      await fingerprint(),
      'transient',
      '--why',
      'a flake',
      '--yes',
    )
    expect(given).toMatchObject({ given: true, parked: COUNT, backtest: { flips: 0 } })
    await until(queue, COUNT, 'scheduled')
    // Retries wait ten seconds; a person can run them at once.
    await mulligan('ops', 'retry', '--state', 'scheduled', '--yes')
    await until(queue, COUNT, 'succeeded')
    isBroken = true
    const { id } = await queue.submit('work', { n: 99 })
    await once(queue, async () => (await queue.ledger.attempts(id)).length === 1)
    expect((await queue.ledger.attempts(id))[0]?.failure).toMatchObject({ class: 'transient' })
    expect(await json('unknowns', 'ls')).toEqual({ unknowns: [] })
  })

  it('all snooze when labelled throttle for an hour', async () => {
    const queue = await fiftyParked()
    await mulligan('unknowns', 'label', await fingerprint(), 'throttle', '--retry-after', '1h', '--yes')
    await until(queue, COUNT, 'scheduled')
    for (const operation of (await queue.ledger.list({}, { limit: COUNT })).items) {
      expect(operation).toMatchObject({ state: 'scheduled', snoozes: 1 })
      const { dueAt } = operation as { dueAt: number }
      expect(dueAt - operation.updatedAt).toBeGreaterThan(3_590_000)
    }
  })
})

describe('mulligan unknowns', () => {
  it('exports and imports labels, and withdraws them', async () => {
    await fiftyParked()
    const fp = await fingerprint()
    await mulligan('unknowns', 'label', fp, 'permanent', 'auth', '--why', 'they call it so', '--yes')
    const pack = (await mulligan('unknowns', 'export')).stdout
    expect(pack).toContain('[[signature]]')
    expect(pack).toContain('class = "permanent"')
    const file = join(folder, 'pack.toml')
    writeFileSync(file, pack)
    expect((await mulligan('unknowns', 'withdraw', fp)).stdout).toContain('withdrawn (was permanent/auth)')
    expect((await mulligan('unknowns', 'import', file)).stdout).toContain('Nothing changed yet')
    expect((await mulligan('unknowns', 'import', file, '--yes')).stdout).toContain('Imported 1 label')
    expect((await json('unknowns', 'show', fp)).labels[0]).toMatchObject({
      who: `ada, from ${file}`,
      kind: 'auth',
    })
  })

  it('says that there is nothing yet', async () => {
    expect((await mulligan('unknowns', 'ls')).stdout).toContain('Nothing yet: no ledger in')
  })

  it.each([
    [['unknowns'], 'missing subcommand; one of: ls, show, label'],
    [['unknowns', 'lable'], 'did you mean "unknowns label"?'],
    [['unknowns', 'label'], 'needs a FINGERPRINT and a CLASS: throttle, transient'],
    [['unknowns', 'label', 'fp1:00', 'flake'], 'did you mean transient?'],
    [['unknowns', 'label', 'fp1:00', 'throttle', 'qouta'], 'did you mean quota?'],
    [['unknowns', 'label', 'fp1:00', 'throttle', '--retry-after', 'soon'], 'takes a duration such as'],
    [['unknowns', 'label', 'fp1:00', 'throttle', '--effect', 'done'], '--effect takes one of none, maybe'],
    [['unknowns', 'label', 'fp1:00', 'throttle', '--pattern', 'a('], 'cannot be used: missing closing )'],
    [['unknowns', 'show', '--yes'], 'takes no --yes, which is for unknowns label, import'],
    [['unknowns', 'export', 'pack.toml'], 'mulligan unknowns export > FILE'],
  ])('answers %j with the right usage', async (argv, message) => {
    const { code, stderr } = await mulligan(...argv)
    expect(stderr).toContain(message)
    expect(code).toBe(2)
  })

  it.each([
    [['unknowns', 'show', 'fp1:0123'], 'no unknown has the fingerprint fp1:0123; there are no unknowns'],
    [['unknowns', 'withdraw', 'label_1'], 'no active label has the id or fingerprint label_1'],
  ])('answers %j with what exists', async (argv, message) => {
    const { code, stderr } = await mulligan(...argv)
    expect(stderr).toContain(message)
    expect(code).toBe(1)
  })
})

describe('mulligan backtest', () => {
  const backtest = (text: string, ...argv: string[]) => {
    writeFileSync(join(folder, 's.toml'), text)
    return mulligan('backtest', 's.toml', ...argv)
  }

  it('refuses a signature that makes right classifications wrong, unless forced', async () => {
    const wide = '[[signature]]\npattern = "error"\nclass = "transient"\n'
    const { code, stdout, stderr } = await backtest(wide)
    expect(stdout).toContain('FLIP permanent → transient')
    expect(stderr).toContain('--force')
    expect(code).toBe(1)
    expect((await backtest(wide, '--force')).code).toBe(0)
  })

  it('takes a labelled file and both forms of signatures', async () => {
    const entry = {
      id: 'x',
      surface: 'http',
      input: { status: 418, headers: {}, body: 'the flux capacitor is detuned' },
      label: { class: 'throttle', kind: 'quota' },
    }
    writeFileSync(join(folder, 'c.jsonl'), `${JSON.stringify(entry)}\n`)
    const lists = '[[provider]]\nid = "p"\nerror_signatures = { flake = ["never said"] }\n'
    const text = `${lists}[[signature]]\npattern = "flux capacitor"\nclass = "throttle"\n`
    const { stdout, code } = await backtest(text, '--corpus', 'c.jsonl', '--json')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      flips: 0,
      matched: 1,
      changes: [{ to: 'throttle', is_flip: false }],
    })
  })

  it('names the line of a mistake', async () => {
    const { stderr } = await backtest('[[signature]]\npattern = "x"\nclass = "thrott"\n')
    expect(stderr).toContain('s.toml:3:1: signature[0]: class must be one of')
    expect((await backtest('[queue]\n')).stderr).toContain('contains no signatures; add a [[signature]]')
  })
})
