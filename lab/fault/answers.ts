import { toolCallFor } from '../answer/tool-use.ts'
import type { AnswerFault } from './fault.ts'

/** Answers that come with 200 and are none. */
export const ANSWERS = {
  refusal: {
    does: 'answer',
    summary: 'the model declines, or a filter cuts its answer, with 200',
    expected: { class: 'permanent', kind: 'content_policy' },
    answer: () => ({ ends: 'refusal', text: '' }),
  },
  output_limit: {
    does: 'answer',
    summary: 'the answer is cut at its longest length, with 200',
    expected: { class: 'rail', kind: 'max_tokens' },
    answer: (_facts, text) => ({ ends: 'length', text: text.slice(0, Math.ceil(text.length / 2)) }),
  },
  tool_loop: {
    does: 'answer',
    summary: 'the model asks for a tool again and again, until a limit on turns stops it',
    expected: null,
    answer: facts => ({ ends: 'tool', text: '', tool: toolCallFor(facts.request) }),
  },
} satisfies Record<string, AnswerFault>
