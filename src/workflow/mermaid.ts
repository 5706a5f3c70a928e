import type { PlanStep } from '../plan/plan.ts'
import type { Graph } from './graph.ts'
import type { StepState } from './step-state.ts'

/** Colours of states. The chart also names each state, so that no information is in colour alone. */
const STYLES: Readonly<Record<StepState, string>> = {
  pending: 'fill:#eeeeee,stroke:#767676,color:#222222',
  ready: 'fill:#dbe9ff,stroke:#2f5fa8,color:#12284a',
  running: 'fill:#bcd6ff,stroke:#1c4a91,color:#0d2347',
  retry_pending: 'fill:#ffe7b8,stroke:#8a5a00,color:#3d2800',
  waiting: 'fill:#fff3c4,stroke:#7a6400,color:#3a3000',
  succeeded: 'fill:#cfeed6,stroke:#1f7a38,color:#0c3217',
  failed: 'fill:#ffd4d0,stroke:#a8231a,color:#4d0d08',
  skipped: 'fill:#f4f4f4,stroke:#9a9a9a,color:#555555',
}

/** A workflow as a Mermaid flowchart; with `states`, a run with the state of each step. */
export function mermaidOf(graph: Graph, states?: readonly StepState[]): string {
  const lines = ['flowchart TD']
  for (const [place, step] of graph.steps.entries()) {
    const state = states?.[place]
    const label = [step.id, detailOf(step), ...(state === undefined ? [] : [state])]
      .map(escaped)
      .join('<br/>')
    const [open, close] = step.ask === undefined ? ['["', '"]'] : ['{{"', '"}}']
    lines.push(`  s${place}${open}${label}${close}${state === undefined ? '' : `:::${state}`}`)
  }
  for (const place of graph.steps.keys())
    for (const before of graph.before(place)) {
      const dotted = graph.at(place).when !== undefined
      lines.push(`  s${before} ${dotted ? '-.->' : '-->'} s${place}`)
    }
  for (const state of new Set(states)) lines.push(`  classDef ${state} ${STYLES[state]}`)
  return `${lines.join('\n')}\n`
}

function detailOf({ run, ask, when }: PlanStep): string {
  const what = run === undefined ? `ask: ${ask}` : `run: ${run}`
  return when === undefined ? what : `${what} when ${when}`
}

/** Escapes the characters that are special within quotes. Mermaid's own entities begin with a number sign. */
function escaped(text: string): string {
  return text.replaceAll('\n', ' ').replaceAll(/[#&"<>`]/g, sign => `#${sign.charCodeAt(0)};`)
}
