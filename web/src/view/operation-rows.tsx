import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { workInWords } from '../../../src/ledger/work-words.ts'
import type { Operation, Provider } from '../api/answers.ts'
import { useResource } from '../live/resource.ts'
import { ClassBadge, StateBadge } from '../part/badge.tsx'
import { Foreign } from '../part/foreign.tsx'
import { Moment } from '../part/moment.tsx'
import type { SortKey } from '../query/order.ts'
import type { Pages } from '../query/pages.ts'
import { usdInWords } from '../words/number.ts'
import { paramsInWords } from '../words/params.ts'
import { visibleText } from '../words/visible.ts'

/** Height of a row in pixels, on a wide and on a narrow screen. */
const ROW = 52
const ROW_NARROW = 76
/** Rows drawn beyond the visible ones, on both sides. */
const BEYOND = 10

const narrow = matchMedia('(max-width: 760px)')

/** A list of any length; only visible rows are drawn. */
export function OperationRows({
  pages,
  current,
  selected,
  select,
  order,
  sort,
}: {
  pages: Pages
  current: { value: { index: number } }
  selected: { value: ReadonlySet<string> }
  select: (id: string) => void
  order: string
  sort: (key: SortKey) => void
}) {
  const box = useRef<HTMLDivElement>(null)
  const top = useSignal(0)
  const height = useSignal(600)
  const isNarrow = useSignal(narrow.matches)
  useEffect(() => {
    const element = box.current as HTMLDivElement
    const watch = new ResizeObserver(() => {
      height.value = element.clientHeight
      isNarrow.value = narrow.matches
    })
    watch.observe(element)
    return () => watch.disconnect()
  }, [height, isNarrow])
  const row = isNarrow.value ? ROW_NARROW : ROW
  // Read it, so the list is drawn again when rows arrive.
  void pages.version.value
  const { length } = pages
  const from = Math.max(0, Math.floor(top.value / row) - BEYOND)
  const to = Math.min(length, Math.ceil((top.value + height.value) / row) + BEYOND)
  useEffect(() => pages.look(from, to))
  const moved = current.value
  const chosen = moved.index
  useLayoutEffect(() => {
    const element = box.current
    if (moved.index < 0 || !element) return
    const at = moved.index * row
    if (at < element.scrollTop) element.scrollTop = at
    else if (at + row > element.scrollTop + element.clientHeight)
      element.scrollTop = at + row - element.clientHeight
    const focus = () => {
      const link = element.querySelector<HTMLElement>(`[data-index="${moved.index}"] a`)
      link?.focus()
      return link !== null
    }
    // At once if the row is drawn, so that the next key acts on it.
    if (!focus()) requestAnimationFrame(focus)
  }, [moved, row])
  const providers = useResource<{ providers: Provider[] }>('/v1/providers', { atMostEveryMs: 10_000 })
  const until = new Map(providers.value.value?.providers.map(each => [each.id, each.until]))
  const rows = []
  for (let index = from; index < to; index += 1) {
    const operation = pages.row(index)
    rows.push(
      <div
        class="row"
        role="row"
        key={operation?.id ?? index}
        aria-rowindex={index + 2}
        data-index={index}
        data-current={index === chosen}
        style={{ transform: `translateY(${index * row}px)`, height: `${row}px` }}
      >
        {operation ? (
          <Cells
            operation={operation}
            until={until.get(operation.held_by ?? '')}
            isSelected={selected.value.has(operation.id)}
            select={select}
          />
        ) : (
          <span class="faint" role="cell">
            …
          </span>
        )}
      </div>,
    )
  }
  return (
    <div role="table" aria-label="Operations" aria-rowcount={length + 1} class="rows-table">
      <div class="row head" role="row" aria-rowindex={1}>
        <span role="columnheader">
          <span class="unseen">Selected</span>
        </span>
        <span role="columnheader">State</span>
        <Column words="Operation" by="capability" {...{ order, sort }} />
        <span role="columnheader">Last failure</span>
        <span role="columnheader">Provider</span>
        <Column words="Tries" by="tries" isNumber {...{ order, sort }} />
        <Column words="Cost" by="cost" isNumber {...{ order, sort }} />
        <Column words="When" by="changed" isNumber {...{ order, sort }} />
      </div>
      <div
        class="rows"
        ref={box}
        role="rowgroup"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
        tabIndex={0}
        onScroll={event => {
          top.value = event.currentTarget.scrollTop
        }}
      >
        <div class="rows-height" style={{ height: `${length * row + (pages.isAll ? 0 : row)}px` }}>
          {rows}
          {pages.isAll ? null : (
            <div class="row" style={{ transform: `translateY(${length * row}px)`, height: `${row}px` }}>
              <span class="faint">Loading more…</span>
            </div>
          )}
        </div>
      </div>
    </div>
  )
}

/** The head of a column that sorts. */
function Column({
  words,
  by,
  isNumber = false,
  order,
  sort,
}: {
  words: string
  by: SortKey
  isNumber?: boolean
  order: string
  sort: (key: SortKey) => void
}) {
  const sorted =
    order === `sort=${by}` ? 'descending' : order.startsWith(`sort=${by}&`) ? 'ascending' : 'none'
  return (
    <span role="columnheader" aria-sort={sorted} class={isNumber ? 'number' : undefined}>
      <button type="button" class="sort" onClick={() => sort(by)}>
        {words}
        <span aria-hidden="true">{sorted === 'none' ? '' : sorted === 'ascending' ? ' ↑' : ' ↓'}</span>
      </button>
    </span>
  )
}

function Cells({
  operation,
  until,
  isSelected,
  select,
}: {
  operation: Operation
  /** Until when the provider that holds it cannot serve, if that is known. */
  until: string | null | undefined
  isSelected: boolean
  select: (id: string) => void
}) {
  const { id, capability, state, failure, providers, attempts, cost_usd: cost, held_by: heldBy } = operation
  const params = paramsInWords(operation.params)
  // How it died, unless that is what its failure says.
  const end = failure && operation.dead_as === 'refused' ? undefined : operation.dead_as
  return (
    <>
      <span role="cell" class="cell-select">
        <label>
          <input
            type="checkbox"
            checked={isSelected}
            onChange={() => select(id)}
            aria-label={`Select ${id}`}
          />
        </label>
      </span>
      <span role="cell" class="cell-state">
        <StateBadge state={state} held={heldBy !== undefined} />
      </span>
      <span role="cell" class="cell-name">
        <a href={`/operations/${id}`}>
          <Foreign text={workInWords(capability)} cut />
          <span class="faint mono">{id}</span>
        </a>
        {params === '' ? null : (
          <span class="cell-params faint" title={visibleText(params)}>
            <Foreign text={params} cut />
          </span>
        )}
      </span>
      <span role="cell" class="cell-failure">
        {failure ? <ClassBadge of={failure.class} /> : null}
        {failure || end !== undefined ? (
          <span class="cut" title={failure && visibleText(failure.message)}>
            {end === undefined ? null : (
              <strong>
                {end}
                {failure ? ' · ' : ''}
              </strong>
            )}
            {failure ? <Foreign text={failure.message} /> : null}
          </span>
        ) : null}
      </span>
      <span role="cell" class="cell-provider cut soft">
        {heldBy ?? (providers.length > 1 ? `${providers[0]} +${providers.length - 1}` : (providers[0] ?? ''))}
      </span>
      <span role="cell" class="cell-tries number soft">
        {attempts === 0 ? '' : attempts}
      </span>
      <span role="cell" class="cell-cost number soft">
        {cost > 0 ? usdInWords(cost) : ''}
      </span>
      <span role="cell" class="cell-when number soft">
        <When operation={operation} until={until} />
      </span>
    </>
  )
}

/** The time that matters most: when it continues, or since when it has been in its state. */
function When({ operation, until }: { operation: Operation; until: string | null | undefined }) {
  const { held_by: heldBy, state, due_at, started_at, parked_at, ended_at, created_at } = operation
  if (heldBy !== undefined && until)
    return (
      <>
        until <Moment at={until} as="clock" />
      </>
    )
  if (state === 'scheduled' && due_at)
    return (
      <>
        due <Moment at={due_at} />
      </>
    )
  return <Moment at={started_at ?? parked_at ?? ended_at ?? created_at} />
}
