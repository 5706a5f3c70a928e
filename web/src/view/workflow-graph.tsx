import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Step } from '../api/answers.ts'
import { now } from '../live/now.ts'
import { lengthInWords } from '../words/time.ts'
import { visibleText } from '../words/visible.ts'
import { STEP_TONES } from './workflows.tsx'

const WIDTH = 176
const HEIGHT = 54
/** Letters that fit into a box. */
const LONGEST = 20

interface Laid {
  width: number
  height: number
  nodes: ReadonlyMap<string, { x: number; y: number }>
  edges: readonly { from: string; to: string; points: readonly { x: number; y: number }[] }[]
}

/** Steps as boxes, laid out so that each stands behind those that it waits for. */
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
            d={`M${points.map(({ x, y }) => `${x} ${y}`).join('L')}`}
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
  const words = left > 0 ? `${state} · ${lengthInWords(left)}` : state
  const box = (
    <g class="box" data-tone={STEP_TONES[state]} transform={`translate(${x - WIDTH / 2} ${y - HEIGHT / 2})`}>
      <rect width={WIDTH} height={HEIGHT} rx="9" />
      <rect class="mark" width="4" height={HEIGHT - 20} x="9" y="10" rx="2" />
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

/** Loaded when the first graph is drawn: most people look at workflows rarely. */
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
    nodes: new Map(graph.nodes().map(id => [id, graph.node(id) as { x: number; y: number }])),
    edges: graph.edges().map(edge => ({
      from: edge.v,
      to: edge.w,
      points: (graph.edge(edge) as { points: { x: number; y: number }[] }).points,
    })),
  }
}
