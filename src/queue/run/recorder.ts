import type { Engine } from '../../engine/index.ts'
import type { Fence, RunRecord } from '../../ledger/index.ts'

/** Writes what becomes known during a run, in order; whoever ends the run waits for it. */
export class Recorder {
  readonly #engine: Pick<Engine, 'record'>
  readonly #fence: Fence
  readonly #onError: (error: unknown) => void
  readonly #onStale: () => void
  readonly #onRecord: (record: RunRecord) => void
  #written: Promise<void> | undefined
  /** The folder that was told last. */
  folder: string | undefined

  constructor(
    engine: Pick<Engine, 'record'>,
    fence: Fence,
    told: {
      onError: (error: unknown) => void
      onStale: () => void
      onRecord: (record: RunRecord) => void
    },
  ) {
    this.#engine = engine
    this.#fence = fence
    this.#onError = told.onError
    this.#onStale = told.onStale
    this.#onRecord = told.onRecord
  }

  write(record: RunRecord): void {
    this.folder = record.folder ?? this.folder
    this.#onRecord(record)
    this.#written = (this.#written ?? Promise.resolve()).then(async () => {
      try {
        if (!(await this.#engine.record(this.#fence, record))) this.#onStale()
      } catch (error) {
        this.#onError(error)
      }
    })
  }

  /** Settles when all of it is written. Never rejects. */
  async written(): Promise<void> {
    await this.#written
  }
}
