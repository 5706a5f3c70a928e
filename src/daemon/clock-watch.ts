import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { uptime } from 'node:os'
import { join } from 'node:path'

/** The clocks of this machine. */
export interface Clocks {
  /** The wall clock, epoch milliseconds. */
  now(): number
  /** How long the machine has run, with its sleep, in milliseconds: unlike the wall clock, nobody sets it. */
  uptime(): number
}

/** A change of the wall clock that time does not explain. */
export interface ClockJump {
  /** When it was noticed, epoch milliseconds by the new clock. */
  at: number
  /** By how much, in milliseconds; negative if the clock went back. */
  byMs: number
}

/** What a daemon last saw of the clock. */
export interface ClockRecord {
  /** When it last looked, epoch milliseconds. */
  at: number
  /** The last jumps, oldest first. */
  jumps: readonly ClockJump[]
}

/** A smaller difference is no jump, in milliseconds: synchronising a clock moves it by less. */
export const CLOCK_JUMP_MS = 2_000
const FILE = 'clock.json'
/** Jumps that are kept. */
const MOST_JUMPS = 20

/** The clocks of this machine. */
export const realClocks: Clocks = { now: Date.now, uptime: () => uptime() * 1_000 }

/** Notices jumps of the wall clock, and records them in the data folder, where they outlive a daemon. */
export class ClockWatch {
  readonly #folder: string
  readonly #clocks: Clocks
  #jumps: readonly ClockJump[]
  #last: { now: number; uptime: number }

  constructor(folder: string, clocks: Clocks = realClocks) {
    this.#folder = folder
    this.#clocks = clocks
    const before = readClock(folder)
    const now = clocks.now()
    // Nobody watched since then, but time only goes forward.
    const wentBack = before !== undefined && before.at - now > CLOCK_JUMP_MS
    this.#jumps = [...(before?.jumps ?? []), ...(wentBack ? [{ at: now, byMs: now - before.at }] : [])]
    this.#last = { now, uptime: clocks.uptime() }
  }

  /** Compares the clocks with the last look, and records it. Returns the jump between the two. */
  look(): ClockJump | undefined {
    const now = this.#clocks.now()
    const uptime = this.#clocks.uptime()
    const byMs = Math.round(now - this.#last.now - (uptime - this.#last.uptime))
    this.#last = { now, uptime }
    const jump = Math.abs(byMs) > CLOCK_JUMP_MS ? { at: now, byMs } : undefined
    if (jump) this.#jumps = [...this.#jumps, jump]
    this.#jumps = this.#jumps.slice(-MOST_JUMPS)
    this.#write({ at: now, jumps: this.#jumps })
    return jump
  }

  #write(record: ClockRecord): void {
    const file = join(this.#folder, FILE)
    const draft = `${file}.${process.pid}`
    try {
      writeFileSync(draft, `${JSON.stringify(record)}\n`, { mode: 0o600 })
      renameSync(draft, file)
    } catch {
      // A full disk is the ledger's to report; the next look writes it again.
      rmSync(draft, { force: true })
    }
  }
}

/** What the last daemon of a data folder saw of the clock; undefined if none did. */
export function readClock(folder: string): ClockRecord | undefined {
  try {
    const { at, jumps } = JSON.parse(readFileSync(join(folder, FILE), 'utf8')) as ClockRecord
    const isJump = (jump: ClockJump) => typeof jump?.at === 'number' && typeof jump.byMs === 'number'
    return typeof at === 'number' && Array.isArray(jumps) && jumps.every(isJump) ? { at, jumps } : undefined
  } catch {
    return undefined
  }
}
