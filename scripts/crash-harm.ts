import { type ChildProcess, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/** What is done to runners, their clock and their files; how often is counted. */
export const HARMS = ['kill', 'stop', 'clock', 'full', 'moved', 'replaced'] as const
export type Harm = (typeof HARMS)[number]
export type Harmed = Record<Harm, number>

/** Of a hundred harms. */
const SHARES: Record<Harm, number> = { kill: 62, stop: 18, clock: 8, full: 6, moved: 3, replaced: 3 }

/** Steps of the clock, in milliseconds: seconds, an hour, two days, and back again. */
const STEPS = [5_000, -5_000, 3_600_000, -3_600_000, 2 * 86_400_000, -2 * 86_400_000]

/** Where the harm is done. */
export interface Scene {
  /** The data folder that all processes share. */
  data: string
  leaseMs: number
  children: ReadonlySet<ChildProcess>
  /** Starts a runner more. */
  start: () => void
  /** Settles when every runner that was started has its ledger open. */
  started: () => Promise<unknown>
}

/** Harms a queue at random. What a harm breaks it mends itself, except for the process that it kills. */
export class Harming {
  readonly done: Harmed = { kill: 0, stop: 0, clock: 0, full: 0, moved: 0, replaced: 0 }
  readonly #scene: Scene
  /** Holds how far the clock of all processes is off, in seconds with a sign. */
  readonly clockFile: string
  /** The same in milliseconds. */
  offset = 0

  constructor(scene: Scene) {
    this.#scene = scene
    this.clockFile = `${scene.data}.clock`
    writeFileSync(this.clockFile, '+0')
  }

  /** Does one harm, and waits until what it did to files is mended. */
  async once(harm: Harm = any()): Promise<void> {
    const { children, leaseMs, start } = this.#scene
    const child = [...children][Math.floor(Math.random() * children.size)]
    if (!child?.pid) return
    this.done[harm]++
    switch (harm) {
      case 'kill':
        child.kill('SIGKILL')
        start()
        return
      case 'stop':
        child.kill('SIGSTOP')
        void delay(leaseMs * (1.5 + 2 * Math.random())).then(() => child.kill('SIGCONT'))
        return
      case 'clock':
        return this.#step(STEPS[Math.floor(Math.random() * STEPS.length)] as number)
      case 'full':
        return this.#full(child.pid)
      case 'moved':
        return this.#away(() => {})
      case 'replaced':
        // A copy in its place is another file: nothing that is written to it would ever be found again.
        // By another process: whoever closes a file loses the locks that SQLite holds on it in the same process.
        // Whoever opened the copy would be right to work on it, and nobody could tell: all have to be there before.
        await this.#scene.started()
        return this.#away(() => spawnSync('cp', ['-r', `${this.#scene.data}.away`, this.#scene.data]))
    }
  }

  /** The clock is right again. */
  settle(): void {
    this.#step(-this.offset)
  }

  #step(ms: number): void {
    this.offset += ms
    const seconds = this.offset / 1_000
    writeFileSync(`${this.clockFile}.new`, seconds < 0 ? String(seconds) : `+${seconds}`)
    renameSync(`${this.clockFile}.new`, this.clockFile)
  }

  /** No file of this process may grow, as on a full disk. */
  async #full(pid: number): Promise<void> {
    const limit = (bytes: string) =>
      spawnSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`])
    limit('0')
    await delay(200 + Math.random() * 500)
    limit('unlimited')
  }

  async #away(meanwhile: () => void): Promise<void> {
    const { data } = this.#scene
    renameSync(data, `${data}.away`)
    meanwhile()
    await delay(100 + Math.random() * 300)
    // Somebody may have made the folder anew: what matters is in the other.
    if (existsSync(data)) rmSync(data, { recursive: true, force: true })
    renameSync(`${data}.away`, data)
  }
}

/** Whether a disk can be made to look full here. */
const CAN_FILL = spawnSync('prlimit', ['--version']).status === 0

function any(): Harm {
  const lots = HARMS.filter(isPossible).flatMap(harm => Array.from({ length: SHARES[harm] }, () => harm))
  return lots[Math.floor(Math.random() * lots.length)] as Harm
}

/** Whether it can be done here. */
export function isPossible(harm: Harm): boolean {
  return harm !== 'full' || CAN_FILL
}

/**
 * Variables by which the library faketime steps the clock of a whole process, Node and SQLite included. Where it is not
 * installed, only the clock that Mulligan asks is stepped.
 */
export function faketime(clockFile: string): Record<string, string> {
  const root = '/usr/lib'
  const library = readdirSync(root)
    .map(name => join(root, name, 'faketime', 'libfaketimeMT.so.1'))
    .find(existsSync)
  if (library === undefined) return {}
  return {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: clockFile,
    FAKETIME_CACHE_DURATION: '1',
    // The name of it has changed between versions.
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    DONT_FAKE_MONOTONIC: '1',
  }
}
