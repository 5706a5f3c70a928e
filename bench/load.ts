import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { withVersion } from './earlier-version.ts'

// A queue under load: many processes submit one by one, several run what is due, and one asks how things stand all the
// time. Beside it, in turns, an earlier version from the history of this repository: the machine is the same for both.

const OPERATIONS = Number(process.env.OPERATIONS ?? 100_000)
const SUBMITTERS = Number(process.env.SUBMITTERS ?? 16)
const DAEMONS = Number(process.env.DAEMONS ?? 3)
const ROUNDS = Number(process.env.ROUNDS ?? 1)
/** The commit of 0.1.0. */
const BEFORE = process.env.BEFORE ?? '3fd1eac'

const here = dirname(dirname(fileURLToPath(import.meta.url)))
const program = fileURLToPath(new URL('./load-part.ts', import.meta.url))
const say = (line = '') => process.stdout.write(`${line}\n`)

/** What one process tells of itself when it ends. */
interface Told {
  /** Milliseconds of each submission or status, by rank. */
  worst: number
  p95: number
  median: number
  megabytes: number
}

class Part {
  readonly #child
  readonly #told: Promise<Told>
  readonly ready: Promise<unknown>
  readonly #ended: Promise<unknown>

  constructor(root: string, data: string, role: string, ...more: string[]) {
    this.#child = spawn(process.execPath, [program, root, data, role, ...more], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    this.#ended = once(this.#child, 'exit')
    const lines = createInterface({ input: this.#child.stdout })
    this.ready = once(lines, 'line')
    this.#told = this.ready.then(async () => JSON.parse(String((await once(lines, 'line'))[0])) as Told)
    this.#told.catch(() => {})
  }

  begin(): void {
    this.#child.stdin.write('begin\n')
  }

  /** What it tells, once it is done or told to end. */
  async told({ end = false } = {}): Promise<Told> {
    if (end) this.#child.stdin.end()
    const told = await this.#told
    if (!end) this.#child.stdin.end()
    await this.#ended
    return told
  }
}

interface Figures {
  'submits per second': number
  'submit, 95 of 100, ms': number
  'worst submit, ms': number
  'status, median, ms': number
  'status, 95 of 100, ms': number
  'worst status, ms': number
  'peak memory of a daemon, MB': number
}

async function measure(root: string): Promise<Figures> {
  const data = mkdtempSync(join(tmpdir(), 'mulligan-load-'))
  try {
    const each = String(Math.ceil(OPERATIONS / SUBMITTERS))
    const daemons = Array.from({ length: DAEMONS }, () => new Part(root, data, 'run'))
    await Promise.all(daemons.map(({ ready }) => ready))
    const submitters = Array.from({ length: SUBMITTERS }, () => new Part(root, data, 'submit', each))
    const asker = new Part(root, data, 'status')
    await Promise.all([...submitters, asker].map(({ ready }) => ready))
    const start = performance.now()
    for (const part of [...submitters, asker]) part.begin()
    const submitted = await Promise.all(submitters.map(part => part.told()))
    const seconds = (performance.now() - start) / 1_000
    const asked = await asker.told({ end: true })
    const ran = await Promise.all(daemons.map(part => part.told({ end: true })))
    return {
      'submits per second': OPERATIONS / seconds,
      'submit, 95 of 100, ms': Math.max(...submitted.map(({ p95 }) => p95)),
      'worst submit, ms': Math.max(...submitted.map(({ worst }) => worst)),
      'status, median, ms': asked.median,
      'status, 95 of 100, ms': asked.p95,
      'worst status, ms': asked.worst,
      'peak memory of a daemon, MB': Math.max(...ran.map(({ megabytes }) => megabytes)),
    }
  } finally {
    rmSync(data, { recursive: true, force: true })
  }
}

await withVersion(here, BEFORE, async before => {
  const versions = { now: here, [BEFORE]: before }
  const rounds = new Map<string, Figures[]>(Object.keys(versions).map(name => [name, []]))
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, root] of Object.entries(versions)) rounds.get(name)?.push(await measure(root))
  say(
    `${OPERATIONS} operations by ${SUBMITTERS} submitters, ${DAEMONS} daemons, status all the time, ${ROUNDS} rounds`,
  )
  say()
  say(`| | ${Object.keys(versions).join(' | ')} |`)
  say(
    `|---|${Object.keys(versions)
      .map(() => '---')
      .join('|')}|`,
  )
  const middle = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1] as number
  const [first] = rounds.get('now') as [Figures]
  for (const title of Object.keys(first) as (keyof Figures)[]) {
    const cells = [...rounds.values()].map(list => middle(list.map(figures => figures[title])).toFixed(0))
    say(`| ${title} | ${cells.join(' | ')} |`)
  }
})
