import { CLAUDE_ANSWER } from './stub.ts'

// What stubs do, as bodies for `Stubs.make`.

/** Prints one event. */
export const line = (event: object) => `out(${JSON.stringify(event)})`

/** Claude Code answers. */
export const answer = (more: object = {}) => line({ ...CLAUDE_ANSWER, ...more })

/** Claude Code ends with a failure as its result. */
export const fail = (more: object) => `${answer({ is_error: true, ...more })}; end(1)`

/** Claude Code is refused at its first turn. */
export const refuse = (more: object) =>
  fail({ num_turns: 1, total_cost_usd: 0, usage: { input_tokens: 0, output_tokens: 0 }, ...more })

/** Claude Code edits something: from here on it may have had an effect. */
export const work = line({
  type: 'assistant',
  session_id: 's-1',
  message: {
    id: 'm1',
    content: [{ type: 'tool_use', name: 'Edit' }],
    usage: { input_tokens: 5, output_tokens: 5 },
  },
})

/** Claude Code gives up after many turns. */
export const overloaded = fail({
  api_error_status: 529,
  result: 'API Error: Repeated 529 Overloaded errors.',
  num_turns: 40,
  total_cost_usd: 1.5,
})

/** Codex answers. */
export const codexAnswer = [
  line({ type: 'thread.started', thread_id: 't-1' }),
  line({ type: 'item.completed', item: { type: 'agent_message', text: 'codex did it' } }),
  line({ type: 'turn.completed', usage: { input_tokens: 10, output_tokens: 2 } }),
].join(';')
