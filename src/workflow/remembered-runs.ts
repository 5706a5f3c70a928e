import type { RunStanding } from './progress.ts'

/** Maximum characters of JSON remembered, over all runs; a process rarely works on more at a time. */
const MOST_CHARACTERS = 8 * 2 ** 20
/** Characters that one step counts as. */
const STEP_CHARACTERS = 100

interface Remembered {
  run: RunStanding
  /** Characters of its parameters; they never change. */
  params: number
  size: number
}

/**
 * Remembers runs as last written, so that the end of a step need not read the whole run again. A lookup names the version
 * in the ledger: a run that another process has changed since is not found.
 */
export class RememberedRuns {
  readonly #runs = new Map<string, Remembered>()
  #size = 0

  /** The run, if this version of it is remembered. */
  of(id: string, version: number): RunStanding | undefined {
    const known = this.#runs.get(id)?.run
    return known?.version === version ? known : undefined
  }

  /** Call only after the commit. Drops a run that has ended: little more happens to it. */
  remember(run: RunStanding): void {
    const old = this.#runs.get(run.id)
    if (old) this.#forget(run.id, old.size)
    if (run.state !== 'running') return
    const params = old?.params ?? JSON.stringify(run.params).length
    const size = params + run.steps.length * STEP_CHARACTERS
    this.#runs.set(run.id, { run, params, size })
    this.#size += size
    // The least recently changed runs come first.
    for (const [id, { size: freed }] of this.#runs) {
      if (this.#size <= MOST_CHARACTERS) return
      this.#forget(id, freed)
    }
  }

  #forget(id: string, size: number): void {
    this.#runs.delete(id)
    this.#size -= size
  }
}
