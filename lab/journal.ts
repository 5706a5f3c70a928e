import type { LabRecord } from './record.ts'

/** The last requests and their answers; older ones are dropped. */
export class Journal {
  readonly #limit: number
  readonly #listeners = new Set<(record: LabRecord) => void>()
  #records: LabRecord[] = []
  #version = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  get records(): readonly LabRecord[] {
    return this.#records
  }

  /** Increases whenever anything changes. */
  get version(): number {
    return this.#version
  }

  /** Records a request that is being answered. */
  begin(record: LabRecord): void {
    this.#records = [...this.#records.slice(-(this.#limit - 1)), record]
    this.#version++
  }

  /** Records how the answer ended, and notifies listeners. */
  end(record: LabRecord, ended: Pick<LabRecord, 'sent' | 'durationMs'>): void {
    const done = { ...record, ...ended }
    this.#records = this.#records.map(each => (each === record ? done : each))
    this.#version++
    for (const listener of this.#listeners) listener(done)
  }

  /** Something else that the page shows has changed. */
  touch(): void {
    this.#version++
  }

  clear(): void {
    this.#records = []
    this.#version++
  }

  /** Calls back for every finished request. Returns a function that stops it. */
  listen(listener: (record: LabRecord) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}
