import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Step } from '../api/answers.ts'
import { now } from '../live/now.ts'
import { lengthInWords } from '../words/time.ts'
import { visibleText } from '../words/visible.ts'
import { STEP_TONES, stepInWords } from './workflows.tsx'

const WIDTH = 192
const HEIGHT = 54
/** Most letters that fit in a box. */
const LONGEST = 19

interface Point {
  x: number
  y: number
}

interface Laid {
  width: number
  height: number
  nodes: ReadonlyMap<string, Point>
  edges: readonly { from: string; to: string; points: readonly Point[] }[]
}

/** Steps as boxes, each to the right of the steps it waits for. */
export function WorkflowGraph({ steps }: { steps: readonly Step[] }) {
  const laid = useSignal<Laid | undefined>(undefined)
  const shape = JSON.stringify(steps.map(({ id, after }) => [id, after]))
  useEffect(() => {
    let isOver = false
    void layOut(JSON.parse(shape) as [string, string[]][]).then(found => {
      if (!isOver) laid.value = found
    })
    return () => {
      isOver = true
    }
  }, [shape, laid])
  if (!laid.value) return <div style={{ minHeight: '120px' }} />
  const { width, height, nodes, edges } = laid.value
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
        {edges.map(({ from, to, points }) => (
          <path
            key={`${from}>${to}`}
            class="edge"
            data-done={isDone(states.get(from)?.state)}
            d={curve(points)}
            marker-end="url(#tip)"
          />
        ))}
        {steps.map(step => {
          const at = nodes.get(step.id)
          return at ? <Box key={step.id} step={step} x={at.x} y={at.y} /> : null
        })}
      </svg>
    </div>
  )
}

function Box({ step, x, y }: { step: Step; x: number; y: number }) {
  const { id, state, waits_for: wait, operation } = step
  const left = wait?.until ? Date.parse(wait.until) - now.value : 0
  const name = stepInWords(state)
  const words = left > 0 ? `${name} · ${lengthInWords(Math.ceil(left / 1_000) * 1_000)}` : name
  const box = (
    <g class="box" data-tone={STEP_TONES[state]} transform={`translate(${x - WIDTH / 2} ${y - HEIGHT / 2})`}>
      <rect width={WIDTH} height={HEIGHT} rx="9" />
      <rect class="mark" width="4" height={HEIGHT - 20} x="9" y="10" rx="2" />
      <title>{`${visibleText(id)}: ${words}`}</title>
      <text x="22" y="23" class="name">
        {short(visibleText(id))}
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

function short(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text
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
      return { from: edge.v, to: edge.w, points: [ends[0], ...between, ends[1]] }
    }),
  }
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
