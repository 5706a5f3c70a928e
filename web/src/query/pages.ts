import { signal } from '@preact/signals'
import type { LedgerEvent, Operation } from '../api/answers.ts'
import { type ApiProblem, problemOf } from '../api/problem.ts'
import { get } from '../api/request.ts'

/** Operations per page. */
const PAGE = 200
/** Most pages in memory; pages far from the visible rows are dropped, and loaded again when they come near. */
const MOST_KEPT = 12

type Look = (path: string, signal: AbortSignal) => Promise<{ operations: Operation[]; next?: string }>

interface Page {
  /** Undefined for the first one. */
  cursor: string | undefined
  count: number
  /** Undefined once dropped. */
  rows: Operation[] | undefined
}

/**
 * All operations that match a query, as far as the user has scrolled, in pages. Only nearby pages stay in memory,
 * so memory and drawing cost the same for any number of operations.
 */
export class Pages {
  /** Goes up with every change. */
  readonly version = signal(0)
  readonly problem = signal<ApiProblem | undefined>(undefined)
  /** Whether the first page is still loading. */
  readonly isLoading = signal(true)
  readonly #search: string
  readonly #look: Look
  readonly #stop = new AbortController()
  #pages: Page[] = []
  #next: string | undefined
  #isAll = false
  #asking: Promise<void> | undefined
  #refreshing = new Set<number>()

  /**
   * @param search the query string of the API
   * @param look asks the API
   */
  constructor(search: string, look: Look = get) {
    this.#search = search
    this.#look = look
    this.more()
  }

  /** Number of rows loaded so far, dropped ones included. */
  get length(): number {
    return this.#pages.reduce((sum, { count }) => sum + count, 0)
  }

  /** Whether these are all rows. */
  get isAll(): boolean {
    return this.#isAll
  }

  /** A row; undefined while it loads. */
  row(index: number): Operation | undefined {
    let first = 0
    for (const page of this.#pages) {
      if (index < first + page.count) return page.rows?.[index - first]
      first += page.count
    }
    return undefined
  }

  /** Call when these rows are visible: loads nearby pages, drops distant ones. */
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

  /** Loads the next page. */
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
   * Call on new events: reloads the rows that they are about. New operations appear while the first rows are
   * visible.
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

  /** Reloads everything on screen. */
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
      this.problem.value = undefined
      const end = this.#pages[index + 1]?.cursor
      page.rows =
        end === undefined ? operations : operations.filter(({ id }) => numberOf(id) >= numberOf(end))
      page.count = page.rows.length
      // More new rows than fit on the page: load the following pages again, so no row is missing or duplicated.
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
    return this.#look(`/v1/operations?${search}`, this.#stop.signal)
  }

  #failed(error: unknown): void {
    if (!this.#stop.signal.aborted) this.problem.value = problemOf(error)
  }
}

/** The number in the id of an operation; newer ones have higher numbers. */
function numberOf(id: string): number {
  return Number(id.slice(id.indexOf('_') + 1))
}
