import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Step } from '../api/answers.ts'
import { now } from '../live/now.ts'
import { lengthInWords } from '../words/time.ts'
import { visibleText } from '../words/visible.ts'
import { STEP_TONES, stepInWords } from './workflows.tsx'

const WIDTH = 192
/** Width of a box where all are below each other, and of the space beside them for lines. */
const NARROW_WIDTH = 250
const NARROW_SIDE = 48
const HEIGHT = 54
/** Most letters that fit in a box, by its width. */
const longestIn = (width: number) => Math.floor(width / 10)

/** Too narrow for boxes beside each other: only sideways scrolling would show them all. */
const narrow = matchMedia('(max-width: 760px)')

interface Point {
  x: number
  y: number
}

interface Laid {
  /** Width of a box. */
  boxWidth: number
  width: number
  height: number
  nodes: ReadonlyMap<string, Point>
  edges: readonly { from: string; to: string; line: string }[]
}

/** Steps as boxes, each to the right of the steps it waits for; on a narrow screen below them. */
export function WorkflowGraph({ steps }: { steps: readonly Step[] }) {
  const laid = useSignal<Laid | undefined>(undefined)
  const isNarrow = useSignal(narrow.matches)
  useEffect(() => {
    const look = () => {
      isNarrow.value = narrow.matches
    }
    narrow.addEventListener('change', look)
    return () => narrow.removeEventListener('change', look)
  }, [isNarrow])
  const shape = JSON.stringify(steps.map(({ id, after }) => [id, after]))
  useEffect(() => {
    let isOver = false
    const given = JSON.parse(shape) as [string, string[]][]
    void Promise.resolve(isNarrow.value ? stack(given) : layOut(given)).then(found => {
      if (!isOver) laid.value = found
    })
    return () => {
      isOver = true
    }
  }, [shape, laid, isNarrow.value])
  if (!laid.value) return <div style={{ minHeight: '120px' }} />
  const { width, height, boxWidth, nodes, edges } = laid.value
  const states = new Map(steps.map(step => [step.id, step]))
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
    <div class="graph" tabIndex={0}>
      <svg
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        role="group"
        aria-label="Steps and what they wait for; the list below says the same"
      >
        <defs>
          <marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
            <path d="M0 0 8 4 0 8z" />
          </marker>
        </defs>
        {edges.map(({ from, to, line }) => (
          <path
            key={`${from}>${to}`}
            class="edge"
            data-done={isDone(states.get(from)?.state)}
            d={line}
            marker-end="url(#tip)"
          />
        ))}
        {steps.map(step => {
          const at = nodes.get(step.id)
          return at ? <Box key={step.id} step={step} x={at.x} y={at.y} width={boxWidth} /> : null
        })}
      </svg>
    </div>
  )
}

function Box({ step, x, y, width }: { step: Step; x: number; y: number; width: number }) {
  const { id, state, waits_for: wait, operation } = step
  const left = wait?.until ? Date.parse(wait.until) - now.value : 0
  const name = stepInWords(state)
  const words = left > 0 ? `${name} · ${lengthInWords(Math.ceil(left / 1_000) * 1_000)}` : name
  const box = (
    <g class="box" data-tone={STEP_TONES[state]} transform={`translate(${x - width / 2} ${y - HEIGHT / 2})`}>
      <rect width={width} height={HEIGHT} rx="9" />
      <rect class="mark" width="4" height={HEIGHT - 20} x="9" y="10" rx="2" />
      <title>{`${visibleText(id)}: ${words}`}</title>
      <text x="22" y="23" class="name">
        {short(visibleText(id), longestIn(width))}
      </text>
      <text x="22" y="41" class="state">
        {words}
      </text>
    </g>
  )
  return operation ? <a href={`/operations/${operation}`}>{box}</a> : box
}

function isDone(state: Step['state'] | undefined): boolean {
  return state === 'succeeded' || state === 'skipped'
}

function short(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text
}

/** Loaded when the first graph is drawn, because most people rarely look at workflows. */
async function layOut(steps: readonly [string, string[]][]): Promise<Laid> {
  const { graphlib, layout } = await import('@dagrejs/dagre')
  const graph = new graphlib.Graph()
  graph.setGraph({ rankdir: 'LR', nodesep: 22, ranksep: 46, marginx: 6, marginy: 6 })
  graph.setDefaultEdgeLabel(() => ({}))
  for (const [id] of steps) graph.setNode(id, { width: WIDTH, height: HEIGHT })
  for (const [id, after] of steps) for (const before of after) graph.setEdge(before, id)
  layout(graph)
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number }
  return {
    width,
    height,
    boxWidth: WIDTH,
    nodes: new Map(graph.nodes().map(id => [id, graph.node(id) as Point])),
    edges: graph.edges().map(edge => {
      const { points } = graph.edge(edge) as { points: Point[] }
      const from = graph.node(edge.v) as Point
      const to = graph.node(edge.w) as Point
      // A line leaves a box in the middle of its right side and enters in the middle of the left side.
      const ends = [
        { x: from.x + WIDTH / 2, y: from.y },
        { x: to.x - WIDTH / 2, y: to.y },
      ] as const
      // Keep only the points in between that lead around other boxes.
      const between = points.length > 3 ? points.slice(1, -1) : []
      return { from: edge.v, to: edge.w, line: curve([ends[0], ...between, ends[1]]) }
    }),
  }
}

/** All boxes below each other, none above a step it waits for; lines beside them join those that are not neighbours. */
function stack(steps: readonly [string, string[]][]): Laid {
  const pitch = HEIGHT + 26
  const nodes = new Map(
    inOrder(steps).map((id, row) => [
      id,
      { x: NARROW_SIDE + NARROW_WIDTH / 2, y: 6 + HEIGHT / 2 + row * pitch },
    ]),
  )
  const lineOf = (from: Point, to: Point) => {
    const rows = Math.round((to.y - from.y) / pitch)
    if (rows === 1) return `M${from.x} ${from.y + HEIGHT / 2}V${to.y - HEIGHT / 2}`
    const out = NARROW_SIDE - Math.min(NARROW_SIDE - 2, 8 + 12 * rows) * 1.25
    return `M${NARROW_SIDE} ${from.y}C${out} ${from.y} ${out} ${to.y} ${NARROW_SIDE} ${to.y}`
  }
  return {
    width: NARROW_SIDE + NARROW_WIDTH + 2,
    height: nodes.size * pitch - 26 + 12,
    boxWidth: NARROW_WIDTH,
    nodes,
    edges: steps.flatMap(([to, after]) =>
      after.map(from => ({ from, to, line: lineOf(nodes.get(from) as Point, nodes.get(to) as Point) })),
    ),
  }
}

/** The ids, each after those it waits for. */
function inOrder(steps: readonly [string, string[]][]): string[] {
  const placed = new Set<string>()
  let left = steps
  while (left.length > 0) {
    const next = left.filter(([, after]) => after.every(id => placed.has(id)))
    for (const [id] of next.length > 0 ? next : left) placed.add(id)
    left = left.filter(([id]) => !placed.has(id))
  }
  return [...placed]
}

/** A smooth line through points, level where it begins and ends. */
function curve(points: readonly Point[]): string {
  return points
    .map(({ x, y }, index) => {
      const before = points[index - 1]
      if (!before) return `M${x} ${y}`
      const middle = (before.x + x) / 2
      return `C${middle} ${before.y} ${middle} ${y} ${x} ${y}`
    })
    .join('')
}
