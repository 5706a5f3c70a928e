import type { Answer } from '../../lab/answer/shape.ts'
import type { Lab } from '../../lab/lab.ts'
import type { LabRequest } from '../../lab/request.ts'
import { startLab } from '../../lab/start.ts'

/** A request of one of the runs, as the vendor sees it. */
export interface Turn {
  /** Number of the run, from its prompt. */
  run: number
  /** Turn 1 reads a file; turn 2 answers with what it read. */
  turn: 1 | 2
  /** The agent's session. */
  session: string
  /** The folder that the agent works in. */
  folder: string
  /** When it arrived, epoch milliseconds. */
  at: number
  isRefused: boolean
}

/** A vendor that reaches its limit midway and states when the limit ends. */
export interface LimitedVendor {
  lab: Lab
  turns: readonly Turn[]
  /** When the limit was reached and when it ends, epoch milliseconds; undefined before. */
  limit: { from: number; to: number } | undefined
}

/**
 * Starts a vendor that first makes every run read a file, which is a paid turn, and then answers. After the given number
 * of answers it refuses everything for a while, and states for how long.
 */
export async function startLimitedVendor(answers: number, limitMs: number): Promise<LimitedVendor> {
  const turns: Turn[] = []
  let answered = 0
  const seen = (request: LabRequest): Answer => {
    const text = JSON.stringify(request.body)
    const run = Number(/Prompt number (\d+)/.exec(text)?.[1] ?? 0)
    const tools = request.body.tools
    // Requests for a title or a summary offer no tools.
    if (run === 0 || !Array.isArray(tools) || tools.length === 0) return { ends: 'stop', text: 'ok' }
    const folder = /working directory: ([^\s"\\]+)/i.exec(text)?.[1] ?? ''
    const isRefused = lab.steps.length > 0
    const turn = text.includes('"tool_result"') ? 2 : 1
    turns.push({ run, turn, session: sessionOf(text), folder, at: Date.now(), isRefused })
    if (!isRefused && ++answered === answers) {
      vendor.limit = { from: Date.now(), to: Date.now() + limitMs }
      lab.inject({ fault: 'usage_limit', times: 'always', waitMs: limitMs })
      setTimeout(() => lab.clear(), limitMs).unref()
    }
    return turn === 1
      ? { ends: 'tool', text: '', tool: { name: 'Read', input: { file_path: `${folder}/notes.md` } } }
      : { ends: 'stop', text: `Answer ${run}` }
  }
  const lab = await startLab({ answer: seen, keep: 5_000 })
  const vendor: LimitedVendor = { lab, turns, limit: undefined }
  return vendor
}

/** Claude Code names its session in each request. */
function sessionOf(text: string): string {
  return /session(?:_id)?[\\":_]+([0-9a-f]{8}-[0-9a-f-]{27})/.exec(text)?.[1] ?? ''
}
