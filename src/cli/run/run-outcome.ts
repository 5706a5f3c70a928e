import { agentFailureOf, type callAgent, type WorktreeLeft } from '../../agent/call-agent.ts'
import { type CallFailed, isCallFailed } from '../../call/call-failed.ts'
import { failureToJson } from '../../failure/json.ts'
import { shellWord } from '../../option/shell-word.ts'
import { verdictToJson } from '../../verdict/json.ts'
import { EXIT, exitCodeOf } from '../exit-code.ts'
import { printAnswer } from '../print/print-answer.ts'
import { printJson } from '../print/print-json.ts'
import type { Terminal } from '../terminal.ts'
import { agentFailureToJson, answerToJson, attemptToJson } from './agent-json.ts'

/** Prints the end of the call, and returns the exit code. */
export async function printOutcome(
  called: ReturnType<typeof callAgent>,
  left: readonly WorktreeLeft[],
  terminal: Terminal,
  json: boolean,
): Promise<number> {
  try {
    const { value, attempts, costUsd } = await called
    if (json)
      printJson(terminal, {
        ...answerToJson(value),
        total_cost_usd: costUsd,
        attempts: attempts.map(attemptToJson),
        ...leftToJson(left),
      })
    else printAnswer(terminal, value.text)
    for (const tool of value.deniedTools) terminal.stderr(`tool ${tool} was requested but not allowed\n`)
    printLeft(left, value.worktree?.path, terminal)
    return EXIT.done
  } catch (error) {
    if (!isCallFailed(error)) throw error
    printFailure(error, left, terminal, json)
    return exitCodeOf(error.failure)
  }
}

/** Prints every kept worktree, including those of failed tries, so users can find the work. */
function printLeft(left: readonly WorktreeLeft[], answered: string | undefined, terminal: Terminal): void {
  for (const { worktree, isChanged } of left) {
    const whose = worktree.path === answered ? 'its work' : 'the work of a failed try'
    const what = isChanged ? `${whose} is in` : 'nothing was changed in'
    terminal.stderr(`${what} ${worktree.path} (branch ${worktree.branch})\n`)
  }
}

function leftToJson(left: readonly WorktreeLeft[]): Record<string, unknown> {
  if (left.length === 0) return {}
  return {
    worktrees_left: left.map(({ worktree: { path, branch, base }, isChanged }) => ({
      path,
      branch,
      base,
      changed: isChanged,
    })),
  }
}

function printFailure(
  error: CallFailed,
  left: readonly WorktreeLeft[],
  terminal: Terminal,
  json: boolean,
): void {
  const { failure, verdict, attempts, costUsd } = error
  const last = agentFailureOf(error)
  if (json)
    printJson(terminal, {
      ok: false,
      failure: failureToJson(failure),
      verdict: verdictToJson(verdict),
      ...(last ? agentFailureToJson(last) : {}),
      total_cost_usd: costUsd,
      attempts: attempts.map(attemptToJson),
      ...leftToJson(left),
    })
  else terminal.stderr(`mulligan run: ${error.message}\n`)
  if (!json && failure.kind === 'binary_not_found')
    terminal.stderr('to see how to install what is missing: mulligan doctor\n')
  printLeft(left, undefined, terminal)
  if (!last?.session || json) return
  // A session in which nothing was said has nothing to continue.
  if (last.failure.effect === 'none' && last.failure.did === undefined) return
  const { id, cwd } = last.session
  terminal.stderr(
    `to resume: mulligan run --provider ${shellWord(last.provider)} --cwd ${shellWord(cwd)} --resume ${shellWord(id)} -- "go on"\n`,
  )
}
