import { useSignal, useSignalEffect } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { BulkAction, Counts, LedgerEvent } from '../api/answers.ts'
import { connection, onEvents } from '../live/events.ts'
import { useResource } from '../live/resource.ts'
import { PageHead } from '../part/panel.tsx'
import { Empty, Loading, Trouble } from '../part/standing.tsx'
import { leftOutInWords, nextOrder, orderOf, type SortKey } from '../query/order.ts'
import { Pages } from '../query/pages.ts'
import { parseQuery, searchOf } from '../query/parse.ts'
import { QueryBox } from '../query/query-box.tsx'
import { go, place } from '../route/location.ts'
import { manyOf } from '../words/number.ts'
import { BulkDialog } from './bulk.tsx'
import { OperationRows } from './operation-rows.tsx'

/** The address of a query in an order. */
function addressOf(query: string, order: string): string {
  const search = [query === '' ? '' : `q=${encodeURIComponent(query)}`, order].filter(Boolean).join('&')
  return search === '' ? '/operations' : `/operations?${search}`
}

/** How long to wait while the user types, in milliseconds. */
const TYPING_MS = 180
/** Shortest interval between reloads of rows, in milliseconds. */
const REFRESH_MS = 1_000

const QUICK: readonly (readonly [string, string])[] = [
  ['All', ''],
  ['Running', 'state:running'],
  ['Scheduled', 'state:scheduled'],
  ['Parked', 'state:parked'],
  ['Dead', 'state:dead'],
  ['Exhausted', 'as:exhausted'],
  ['Unverifiable', 'as:unverifiable'],
  ['Succeeded', 'state:succeeded'],
]

/** The operations that match a query. */
export function Operations() {
  const text = place.value.searchParams.get('q') ?? ''
  const settled = useSettled(text)
  const query = useMemo(() => parseQuery(settled, Date.now()), [settled])
  const matches = searchOf(query.filter).toString()
  const order = orderOf(place.value.searchParams)
  const search = [matches, order].filter(Boolean).join('&')
  const isAsked = query.problems.length === 0
  const pages = usePages(isAsked ? search : undefined)
  const counts = useResource<Counts>(isAsked ? `/v1/operations/count?${matches}` : undefined, {
    atMostEveryMs: 3_000,
  })
  const bulk = useSignal<BulkAction | undefined>(undefined)
  const selected = useSignal<ReadonlySet<string>>(new Set())
  // An object, so that each move counts, also one that ends at the row where it began: it takes the focus there.
  const current = useSignal({ index: -1 })
  useEffect(() => {
    selected.value = new Set()
    current.value = { index: -1 }
  }, [search])
  const change = (value: string) => go(addressOf(value, order), { replace: true })
  const total = counts.value.value?.total
  const select = (id: string) => {
    const next = new Set(selected.value)
    if (!next.delete(id)) next.add(id)
    selected.value = next
  }
  const keys = {
    move: (by: 1 | -1) => {
      const last = (pages?.length ?? 0) - 1
      current.value = { index: Math.min(last, Math.max(0, current.value.index + by)) }
    },
    open: () => {
      const row = pages?.row(current.value.index)
      if (row) go(`/operations/${row.id}`)
    },
    select: () => {
      const row = pages?.row(current.value.index)
      if (row) select(row.id)
    },
  }
  const isChosen = selected.value.size > 0
  const of = isChosen ? selected.value.size : total
  const filter = isChosen ? { id: [...selected.value] } : query.filter
  return (
    <>
      <PageHead
        title="Operations"
        actions={(['retry', 'cancel', 'discard'] as const).map(action => (
          <button
            type="button"
            key={action}
            class={action === 'retry' ? 'button' : 'button danger'}
            disabled={!isAsked || !of}
            onClick={() => {
              bulk.value = action
            }}
          >
            {`${action[0]?.toUpperCase()}${action.slice(1)} ${isChosen ? of : 'all'} …`}
          </button>
        ))}
      >
        <span class="soft" aria-live="polite">
          {total === undefined
            ? ''
            : `${counts.value.value?.about ? 'about ' : ''}${manyOf(total, 'operation')}`}
          {pages === undefined || total === undefined ? null : <LeftOut {...{ pages, order, total }} />}
          {isChosen ? ` · ${of} selected` : ''}
        </span>
      </PageHead>
      <QueryBox text={text} onChange={change} keys={keys} problem={query.problems[0]} />
      <nav class="quick" aria-label="Queries">
        {QUICK.map(([words, value]) => (
          <a key={value} href={addressOf(value, order)} aria-current={text === value ? 'true' : undefined}>
            {words}
          </a>
        ))}
        <span class="exports soft">
          Export{' '}
          {(['csv', 'json'] as const).map(format => (
            <a
              key={format}
              href={`/v1/operations/export?${[`format=${format}`, matches].filter(Boolean).join('&')}`}
              download
            >
              {format.toUpperCase()}
            </a>
          ))}
        </span>
        {isChosen ? (
          <button
            type="button"
            class="button quiet"
            onClick={() => {
              selected.value = new Set()
            }}
          >
            Clear the selection
          </button>
        ) : null}
      </nav>
      {pages?.problem.value && connection.value !== 'lost' ? (
        <Trouble problem={pages.problem.value} again={() => pages.reload()} />
      ) : null}
      <section class="panel rows-panel" aria-label="Matching operations">
        {pages === undefined ? (
          <Empty title="The query has a mistake">{query.problems[0]}</Empty>
        ) : (
          <List
            pages={pages}
            search={matches}
            current={current}
            selected={selected}
            select={select}
            sort={key => go(addressOf(text, nextOrder(order, key)), { replace: true })}
            order={order}
          />
        )}
      </section>
      {bulk.value === undefined ? null : (
        <BulkDialog
          action={bulk.value}
          filter={filter}
          onClose={done => {
            bulk.value = undefined
            if (!done) return
            selected.value = new Set()
            pages?.reload()
            counts.reload()
          }}
        />
      )}
    </>
  )
}

/** That a sorted list does not have all. */
function LeftOut({ pages, order, total }: { pages: Pages; order: string; total: number }) {
  // Read it, so this is drawn again when rows arrive.
  void pages.version.value
  const words = pages.isAll ? leftOutInWords(order, pages.length, total) : ''
  return words === '' ? null : <> · {words}</>
}

function List({
  pages,
  search,
  ...rest
}: {
  pages: Pages
  search: string
  current: { value: { index: number } }
  selected: { value: ReadonlySet<string> }
  select: (id: string) => void
  sort: (key: SortKey) => void
  order: string
}) {
  // Read it, so the list is drawn again after every change.
  void pages.version.value
  if (pages.isLoading.value) return <Loading />
  if (pages.length > 0) return <OperationRows pages={pages} {...rest} />
  return search === '' ? (
    <Empty title="No operations yet" command="mulligan submit NAME --param key=value">
      An operation is one durable run of a capability. Submit one, or see a demo: mulligan demo
    </Empty>
  ) : (
    <Empty title="Nothing matches">
      <a href="/operations">Show all operations</a>
    </Empty>
  )
}

/** The text, once it has not changed for a moment. */
function useSettled(text: string): string {
  const settled = useSignal(text)
  useEffect(() => {
    const timer = setTimeout(() => {
      settled.value = text
    }, TYPING_MS)
    return () => clearTimeout(timer)
  }, [text, settled])
  return settled.value
}

/** The pages of a query, kept up to date while the page is visible. */
function usePages(search: string | undefined): Pages | undefined {
  const pages = useMemo(() => (search === undefined ? undefined : new Pages(search)), [search])
  useEffect(() => {
    if (!pages) return undefined
    let heard: LedgerEvent[] = []
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = onEvents(events => {
      if (events === undefined) return pages.reload()
      heard.push(...events)
      timer ??= setTimeout(() => {
        timer = undefined
        const box = document.querySelector('.rows')
        pages.heard(heard, (box?.scrollTop ?? 0) < 10)
        heard = []
      }, REFRESH_MS)
    })
    return () => {
      stop()
      clearTimeout(timer)
      pages.stop()
    }
  }, [pages])
  // Load the rows that failed to load while the daemon was gone.
  useSignalEffect(() => {
    if (connection.value === 'live' && pages?.problem.peek()) pages.reload()
  })
  return pages
}
