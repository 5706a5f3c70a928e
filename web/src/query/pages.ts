import { signal } from '@preact/signals'
import type { LedgerEvent, Operation } from '../api/answers.ts'
import { type ApiProblem, problemOf } from '../api/problem.ts'
import { get } from '../api/request.ts'

/** Operations of a page. */
const PAGE = 200
/** Pages that are kept; those far from what is looked at are asked for again when it comes near. */
const MOST_KEPT = 12

interface Page {
  /** Undefined for the first one. */
  cursor: string | undefined
  count: number
  /** Undefined once it was let go. */
  rows: Operation[] | undefined
}

/**
 * All operations that match a query, as far as somebody has scrolled: pages behind each other, of which only those near
 * are kept. However many operations there are, memory and drawing stay the same.
 */
export class Pages {
  /** Goes up with every change. */
  readonly version = signal(0)
  readonly problem = signal<ApiProblem | undefined>(undefined)
  /** Whether the first page has not come yet. */
  readonly isLoading = signal(true)
  readonly #search: string
  readonly #stop = new AbortController()
  #pages: Page[] = []
  #next: string | undefined
  #isAll = false
  #asking: Promise<void> | undefined
  #refreshing = new Set<number>()

  /** @param search the query string of the API */
  constructor(search: string) {
    this.#search = search
    this.more()
  }

  /** Rows that are known to be there. */
  get length(): number {
    return this.#pages.reduce((sum, { count }) => sum + count, 0)
  }

  /** Whether there are no more than these. */
  get isAll(): boolean {
    return this.#isAll
  }

  /** A row; undefined while it is asked for. */
  row(index: number): Operation | undefined {
    let first = 0
    for (const page of this.#pages) {
      if (index < first + page.count) return page.rows?.[index - first]
      first += page.count
    }
    return undefined
  }

  /** Somebody looks at these rows: what is near is there soon, what is far is let go. */
  look(from: number, to: number): void {
    if (!this.#isAll && to > this.length - PAGE / 2) this.more()
    let first = 0
    const near: number[] = []
    this.#pages.forEach((page, index) => {
      if (first < to + PAGE && first + page.count > from - PAGE) {
        near.push(index)
        if (!page.rows) void this.#refresh(index)
      }
      first += page.count
    })
    const middle = near[0] ?? 0
    const kept = this.#pages.flatMap((page, index) => (page.rows ? [index] : []))
    for (const index of kept
      .sort((a, b) => Math.abs(b - middle) - Math.abs(a - middle))
      .slice(0, Math.max(0, kept.length - MOST_KEPT)))
      (this.#pages[index] as Page).rows = undefined
  }

  /** Asks for the next page. */
  more(): void {
    if (this.#isAll) return
    this.#asking ??= this.#ask(this.#next)
      .then(({ operations, next }) => {
        this.#pages.push({ cursor: this.#next, count: operations.length, rows: operations })
        this.#next = next
        this.#isAll = next === undefined
        this.problem.value = undefined
      })
      .catch(error => this.#failed(error))
      .finally(() => {
        this.#asking = undefined
        this.isLoading.value = false
        this.version.value += 1
      })
  }

  /**
   * Something happened: rows that it is about are looked up again. New operations show up while the beginning is looked
   * at.
   */
  heard(events: readonly LedgerEvent[], isAtTop: boolean): void {
    const ids = new Set(events.flatMap(({ operation }) => operation ?? []))
    const isNew = events.some(({ type }) => type === 'submitted' || type === 'pruned')
    this.#pages.forEach((page, index) => {
      const isConcerned =
        page.rows?.some(({ id }) => ids.has(id)) || (index === 0 && isAtTop && (isNew || ids.size > 0))
      if (isConcerned) void this.#refresh(index)
    })
  }

  /** Asks for everything that is shown again. */
  reload(): void {
    if (this.#pages.length === 0) this.more()
    this.#pages.forEach((page, index) => {
      if (page.rows) void this.#refresh(index)
    })
  }

  stop(): void {
    this.#stop.abort()
  }

  async #refresh(index: number): Promise<void> {
    const page = this.#pages[index]
    if (!page || this.#refreshing.has(index)) return
    this.#refreshing.add(index)
    try {
      const { operations, next } = await this.#ask(page.cursor)
      const end = this.#pages[index + 1]?.cursor
      page.rows =
        end === undefined ? operations : operations.filter(({ id }) => numberOf(id) >= numberOf(end))
      page.count = page.rows.length
      // More have come between than fit: what followed is asked for anew, so that no row is missing or there twice.
      const isGap = end !== undefined && page.rows.length === operations.length && next !== end
      if (isGap) this.#pages.length = index + 1
      if (index === this.#pages.length - 1) {
        this.#next = next
        this.#isAll = next === undefined
      }
      this.version.value += 1
    } catch (error) {
      this.#failed(error)
    } finally {
      this.#refreshing.delete(index)
    }
  }

  async #ask(cursor: string | undefined): Promise<{ operations: Operation[]; next?: string }> {
    const search = new URLSearchParams(this.#search)
    search.set('limit', String(PAGE))
    if (cursor !== undefined) search.set('cursor', cursor)
    return get(`/v1/operations?${search}`, this.#stop.signal)
  }

  #failed(error: unknown): void {
    if (!this.#stop.signal.aborted) this.problem.value = problemOf(error)
  }
}

/** The number in the id of an operation; newer ones have higher numbers. */
function numberOf(id: string): number {
  return Number(id.slice(id.indexOf('_') + 1))
}
