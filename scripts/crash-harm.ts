import { type ChildProcess, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/** Faults injected into runners, their clock and their files. */
export const HARMS = ['kill', 'stop', 'clock', 'full', 'moved', 'replaced'] as const
export type Harm = (typeof HARMS)[number]
export type Harmed = Record<Harm, number>

/** Shares of each harm, in percent. */
const SHARES: Record<Harm, number> = { kill: 62, stop: 18, clock: 8, full: 6, moved: 3, replaced: 3 }

/** Steps of the clock, in milliseconds: seconds, an hour and two days, forward and back. */
const STEPS = [5_000, -5_000, 3_600_000, -3_600_000, 2 * 86_400_000, -2 * 86_400_000]

/** The processes and files to harm. */
export interface Scene {
  /** The data folder that all processes share. */
  data: string
  leaseMs: number
  children: ReadonlySet<ChildProcess>
  /** Starts another runner. */
  start: () => void
  /** Settles when every started runner has opened its ledger. */
  started: () => Promise<unknown>
}

/** Harms a queue at random. Repairs what it broke, except for killed processes. */
export class Harming {
  readonly done: Harmed = { kill: 0, stop: 0, clock: 0, full: 0, moved: 0, replaced: 0 }
  readonly #scene: Scene
  /** File with the offset of all processes' clock, in seconds with a sign. */
  readonly clockFile: string
  /** The same offset in milliseconds. */
  offset = 0

  constructor(scene: Scene) {
    this.#scene = scene
    this.clockFile = `${scene.data}.clock`
    writeFileSync(this.clockFile, '+0')
  }

  /** Does one harm, and waits until its damage to files is repaired. */
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
        // Replaces the file with a copy, which is removed again: writes to the copy would be lost.
        // Copied by another process, because closing the file in this one would drop SQLite's locks on it.
        // All runners must be started before: one that opens the copy could not know that it is the wrong file.
        await this.#scene.started()
        return this.#away(() => spawnSync('cp', ['-r', `${this.#scene.data}.away`, this.#scene.data]))
    }
  }

  /** Sets the clock right. */
  settle(): void {
    this.#step(-this.offset)
  }

  #step(ms: number): void {
    this.offset += ms
    const seconds = this.offset / 1_000
    writeFileSync(`${this.clockFile}.new`, seconds < 0 ? String(seconds) : `+${seconds}`)
    renameSync(`${this.clockFile}.new`, this.clockFile)
  }

  /** Keeps the files of a process from growing for a while, as on a full disk. */
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
    // A runner may have created the folder again; the real data is in the other one.
    if (existsSync(data)) rmSync(data, { recursive: true, force: true })
    renameSync(`${data}.away`, data)
  }
}

/** Whether a full disk can be simulated on this machine. */
const CAN_FILL = spawnSync('prlimit', ['--version']).status === 0

function any(): Harm {
  const lots = HARMS.filter(isPossible).flatMap(harm => Array.from({ length: SHARES[harm] }, () => harm))
  return lots[Math.floor(Math.random() * lots.length)] as Harm
}

/** Whether a harm can be done on this machine. */
export function isPossible(harm: Harm): boolean {
  return harm !== 'full' || CAN_FILL
}

/**
 * Environment variables for libfaketime, which steps the clock of a whole process, including Node and SQLite. Empty if
 * the library is not installed; then only Mulligan's own clock is stepped.
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
    // The variable has different names in different versions.
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    DONT_FAKE_MONOTONIC: '1',
  }
}
