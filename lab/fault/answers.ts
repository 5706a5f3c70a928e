import { toolCallFor } from '../answer/tool-use.ts'
import type { AnswerFault } from './fault.ts'

/** Answers with status 200 that are incomplete or missing. */
export const ANSWERS = {
  refusal: {
    does: 'answer',
    summary: 'the model declines, or a filter cuts its answer, with 200',
    expected: { class: 'permanent', kind: 'content_policy' },
    answer: () => ({ ends: 'refusal', text: '' }),
  },
  output_limit: {
    does: 'answer',
    summary: 'the answer is cut at its maximum length, with 200',
    expected: { class: 'rail', kind: 'max_tokens' },
    answer: (_facts, text) => ({ ends: 'length', text: text.slice(0, Math.ceil(text.length / 2)) }),
  },
  tool_loop: {
    does: 'answer',
    summary: 'the model keeps calling a tool, until a turn limit stops it',
    expected: null,
    answer: facts => ({ ends: 'tool', text: '', tool: toolCallFor(facts.request) }),
  },
} satisfies Record<string, AnswerFault>
