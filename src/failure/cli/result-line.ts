import { isBadFinish, isBadStop } from '../observe/model-answer.ts'
import { elements } from '../observe/read.ts'
import { type AgentEvent, textOfMessage, textParts } from './event.ts'
import { answered, type EventMeaning, failed, IGNORED, retrying, stopped, WORKED, warned } from './meaning.ts'
import type { Spending, Usage } from './spending.ts'
import type { Work } from './work.ts'

/**
 * Claude Code's stream, which Qwen Code, Cursor, Amp and Droid copied: `system`, `assistant`, `user`, and a `result` at the
 * end.
 */

/** How the run ended. */
export function resultOutcome(event: AgentEvent): EventMeaning {
  if (isFailedResult(event)) return failed(withResultAsText(event))
  // The run reports success although its last answer was refused or cut.
  return badEndOf(event) ?? answered(event.get('result'))
}

function isFailedResult(event: AgentEvent): boolean {
  return event.get('is_error') === true || /^(?:error|fail)/.test(event.text('subtype') ?? '')
}

/** An answer that the vendor refused or cut: the stop reason counts, not what the run calls its end. */
function badEndOf(event: AgentEvent | undefined): EventMeaning | undefined {
  const reason = event?.get('stop_reason') ?? event?.get('stopReason') ?? event?.get('finish_reason')
  return isBadStop(reason) || isBadFinish(reason)
    ? stopped({ stop_reason: reason, message: `the model stopped with ${String(reason)}` })
    : undefined
}

/** Values of `terminal_reason` that only say the reason is elsewhere. */
const SILENT_REASONS = new Set(
  `api_error model_error completed stop_hook_prevented hook_stopped tool_deferred background_requested`.split(
    /\s+/,
  ),
)

/** `result` is the answer of a successful run and the error text of a failed one; only here is it known which. */
function withResultAsText({ fields }: AgentEvent): unknown {
  const content: Record<string, unknown> = Object.fromEntries(fields)
  const errors = elements(fields.get('errors'), 8)
  if (typeof content.result === 'string' && errors.length === 0) content.message = content.result
  // The synthetic message of an API failure ends in a stop sequence that no model wrote.
  if (content.stop_reason !== 'refusal') delete content.stop_reason
  if (SILENT_REASONS.has(content.terminal_reason as string)) delete content.terminal_reason
  // The type of the vendor's own error, which was inside Claude Code's message about it.
  if (typeof content.api_error_type === 'string' && content.error === undefined)
    content.error = { type: content.api_error_type }
  delete content.result
  const startup = content.startup_failure_reason
  // New reasons appear under old prefixes, which say who must act: org, gateway, managed settings.
  if (typeof startup === 'string') content.category = `startup_${startup.split('_', 1)[0]}`
  return content
}

/** Claude Code prints the text of an API failure as an assistant message; the run may still go on. */
function syntheticMessage(event: AgentEvent): EventMeaning | undefined {
  if (!isSynthetic(event)) return undefined
  const text = textParts(event.inner('message'), 8).join('\n')
  // The word in `error` is less exact than the text: "high load" carries rate_limit, a lost connection server_error.
  return failed(text === '' ? { error: event.get('error') } : { message: text })
}

function isSynthetic(event: AgentEvent): boolean {
  return (
    event.has('error') ||
    event.get('isApiErrorMessage') === true ||
    event.inner('message')?.get('model') === '<synthetic>'
  )
}

/** Parts of an answer. A stream also begins, pings, and, in Qwen Code, reports goals before anything is asked. */
const CONTENT = /^(?:content_block_|message_delta$)/

/** What each type of event means for the run. */
export const RESULT_STREAM_OUTCOME = {
  result: resultOutcome,
  system: (event: AgentEvent) =>
    event.get('subtype') === 'api_retry'
      ? retrying(event.value, { delayMs: event.amount('retry_delay_ms') })
      : IGNORED,
  rate_limit_event: (event: AgentEvent) =>
    event.inner('rate_limit_info')?.get('status') === 'rejected' ? warned(event.value) : IGNORED,
  assistant: (event: AgentEvent) => syntheticMessage(event) ?? badEndOf(event.inner('message')) ?? WORKED,
  stream_event: (event: AgentEvent) =>
    CONTENT.test(String(event.inner('event')?.get('type'))) ? WORKED : IGNORED,
  user: () => IGNORED,
}

/** How Qwen Code prints the text of an API failure as an assistant message. */
const API_ERROR = /^\[API Error: /

/** True for the text of an API failure, for which no model worked. */
function isApiFailure(event: AgentEvent): boolean {
  if (isSynthetic(event)) return true
  const message = event.inner('message')
  const usage = usageOf(message?.inner('usage'))
  return !usage?.inputTokens && !usage?.outputTokens && API_ERROR.test(textOfMessage(message))
}

/** What a run in this stream spent. */
export const RESULT_STREAM_SPENDING = {
  assistant: (event: AgentEvent): Spending | undefined => {
    if (isApiFailure(event)) return undefined
    const message = event.inner('message')
    // A message comes in several events, one per block.
    return { turn: 'begins', messageId: message?.get('id'), usage: usageOf(message?.inner('usage')) }
  },
  result: (event: AgentEvent): Spending => ({
    total: {
      usd: event.amount('total_cost_usd') ?? event.amount('cost_usd'),
      turns: event.amount('num_turns'),
      usage: usageOf(event.inner('usage')),
    },
  }),
}

/** What the model and its tools did. */
export const RESULT_STREAM_WORK = {
  system: (event: AgentEvent): Work =>
    event.get('subtype') === 'init' ? { model: event.text('model') } : {},
  assistant: (event: AgentEvent): Work => {
    if (isApiFailure(event)) return {}
    const message = event.inner('message')
    const text = textOfMessage(message)
    const calls = (message?.parts('content') ?? []).filter(part => /tool_use$/.test(part.text('type') ?? ''))
    return {
      ...(calls.length > 0
        ? { did: 'tool', tools: calls.map(call => call.text('name')) }
        : { did: 'progress' }),
      ...(text === '' ? {} : { text }),
    }
  },
  // Tool results come as user messages; so does what the CLI itself tells the model.
  user: (event: AgentEvent): Work => {
    const parts = event.inner('message')?.parts('content') ?? []
    return { did: parts.some(part => part.get('type') === 'tool_result') ? 'tool' : 'progress' }
  },
  result: (event: AgentEvent): Work => {
    const deniedTools = event.parts('permission_denials').map(denial => denial.text('tool_name') ?? 'unnamed')
    if (isFailedResult(event)) return { deniedTools }
    const answer = event.get('result')
    return {
      deniedTools,
      structured: event.get('structured_output'),
      ...(typeof answer === 'string' ? { text: answer } : {}),
    }
  },
}

/** The stream counts cached input separately; {@link Usage} counts it as part of the input. */
function usageOf(usage: AgentEvent | undefined): Usage | undefined {
  const fresh = usage?.amount('input_tokens')
  const outputTokens = usage?.amount('output_tokens')
  if (fresh === undefined && outputTokens === undefined) return undefined
  const cachedTokens = usage?.amount('cache_read_input_tokens') ?? 0
  const written = usage?.amount('cache_creation_input_tokens') ?? 0
  return {
    inputTokens: (fresh ?? 0) + cachedTokens + written,
    outputTokens: outputTokens ?? 0,
    cachedTokens,
  }
}
