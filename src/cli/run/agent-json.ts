import type { Checkup } from '../../agent/doctor.ts'
import type { AgentAnswer, AgentFailure, Spent } from '../../agent/outcome.ts'
import type { Worktree } from '../../agent/worktree.ts'
import type { Attempt } from '../../call/attempt/attempt.ts'
import { failureToJson } from '../../failure/json.ts'
import { present } from '../../failure/present.ts'
import { verdictToJson } from '../../verdict/json.ts'

/** An attempt as JSON: snake_case, times as RFC 3339 UTC, durations as `…_ms`. */
export function attemptToJson(attempt: Attempt): Record<string, unknown> {
  return {
    number: attempt.number,
    ...present({ provider: attempt.provider }),
    started_at: new Date(attempt.startedAt).toISOString(),
    duration_ms: attempt.durationMs,
    cost_usd: attempt.costUsd,
    tokens: attempt.tokens,
    ...present({ model: attempt.model }),
    ...(attempt.usage ? { cached_tokens: attempt.usage.cachedTokens } : {}),
    ...(attempt.failure ? { failure: failureToJson(attempt.failure) } : {}),
    ...(attempt.verdict ? { verdict: verdictToJson(attempt.verdict) } : {}),
  }
}

/** The answer of an agent. */
export function answerToJson(answer: AgentAnswer): Record<string, unknown> {
  return {
    ok: true,
    text: answer.text,
    ...present({ structured: answer.structured }),
    session_id: answer.sessionId,
    denied_tools: answer.deniedTools,
    ...runToJson(answer),
  }
}

/** Fields of a failed agent run besides its failure. */
export function agentFailureToJson(failure: AgentFailure): Record<string, unknown> {
  return {
    ...present({ auth_reason: failure.authReason }),
    session_id: failure.session?.id ?? null,
    ...runToJson(failure),
  }
}

function runToJson(run: AgentAnswer | AgentFailure): Record<string, unknown> {
  return {
    provider: run.provider,
    ...present({ model: run.model }),
    ...spentToJson(run),
    ...(run.worktree === undefined ? {} : { worktree: worktreeToJson(run.worktree) }),
  }
}

function spentToJson({ costUsd, turns, usage, durationMs }: Spent): Record<string, unknown> {
  return {
    cost_usd: costUsd,
    turns,
    duration_ms: durationMs,
    usage: usage && {
      input_tokens: usage.inputTokens,
      output_tokens: usage.outputTokens,
      cached_tokens: usage.cachedTokens,
    },
  }
}

function worktreeToJson({ path, branch, base }: Worktree): Record<string, unknown> {
  return { path, branch, base }
}

/** The doctor's findings about one agent. */
export function checkupToJson({
  minVersion,
  notChecked,
  login,
  ...checkup
}: Checkup): Record<string, unknown> {
  return {
    ...checkup,
    min_version: minVersion,
    ...(login === undefined ? {} : { login: loginToJson(login) }),
    ...present({ not_checked: notChecked }),
  }
}

function loginToJson(login: NonNullable<Checkup['login']>): Record<string, unknown> {
  if (login.state !== 'present') return login
  const { isTold = false, ...rest } = login
  return { ...rest, told_by_cli: isTold }
}
