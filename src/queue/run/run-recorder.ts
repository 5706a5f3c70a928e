import type { Engine } from '../../engine/engine.ts'
import type { RunRecord } from '../../ledger/ledger.ts'
import type { Fence } from '../../ledger/operation.ts'

/** Gets notified of what a recorder writes. */
export interface RunRecorderListener {
  /** Something became known; it is not written yet. */
  onRecord(record: RunRecord): void
  /** It was not written: another runner has the run, or it ended. */
  onStale(): void
  /** It could not be written. The run continues. */
  onRecordError(error: unknown): void
}

/** Writes what becomes known during a run, in order; the end of the run waits for it. */
export class RunRecorder {
  readonly #engine: Pick<Engine, 'record'>
  readonly #fence: Fence
  readonly #listener: RunRecorderListener
  #written: Promise<void> | undefined
  /** The last recorded folder. */
  folder: string | undefined

  constructor(engine: Pick<Engine, 'record'>, fence: Fence, listener: RunRecorderListener) {
    this.#engine = engine
    this.#fence = fence
    this.#listener = listener
  }

  write(record: RunRecord): void {
    this.folder = record.folder ?? this.folder
    this.#listener.onRecord(record)
    this.#written = (this.#written ?? Promise.resolve()).then(async () => {
      try {
        if (!(await this.#engine.record(this.#fence, record))) this.#listener.onStale()
      } catch (error) {
        this.#listener.onRecordError(error)
      }
    })
  }

  /** Called when another part found that another runner has the run, or that it ended. */
  stale(): void {
    this.#listener.onStale()
  }

  /** Settles when everything is written. Never rejects. */
  async written(): Promise<void> {
    await this.#written
  }
}
