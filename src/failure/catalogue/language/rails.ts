import { family } from '../rule.ts'

/** A limit that the caller set on purpose. Going on must be deliberate. */
export default family('rail', {
  turns: {
    kind: 'max_turns',
    rank: 'cause',
    why: "the caller's ceiling of turns stopped the run",
    when: {
      says: [
        '(reached|hit|exceeded|exceeding|reach) (the|your|a|configured|) (configured|) (maximum|max|) (number of|session|) turns',
        'maximum number of turns',
        'max (session|) turns (reached|exceeded|limit)',
        'reached max turns',
        'max turns',
        'turn limit (reached|exceeded)',
        'exceeding the configured maximum of',
        'maximum number of actions',
        'max turns exceeded',
      ],
      unless: ['system prompt', 'allowed tools'],
    },
    example: 'Reached maximum number of turns (40)',
  },
  steps: {
    kind: 'max_steps',
    rank: 'cause',
    why: "the caller's ceiling of steps or iterations stopped the run",
    when: {
      says: [
        '(maximum|max) (number of|) (iterations|steps|iteration|loops|rounds|tool calls|reflections)',
        '(iteration|step|recursion|tool call|loop) (limit|budget) (of #|or|has been|) (reached|exceeded|hit|time)',
        'recursion limit',
        'due to iteration limit',
        'only # reflections allowed',
        'max iterations',
        'max steps',
        'loop detected',
        'mistake limit',
        'auto approval limit',
        'tool call budget',
        'would exceed the (request|requests|tool calls|steps|total tokens) limit',
      ],
      unless: ['infinite loop detected'],
    },
    example: 'Agent stopped due to iteration limit or time limit.',
  },
  budget: {
    kind: 'max_budget',
    rank: 'cause',
    why: "the caller's own ceiling of cost for this run stopped it",
    when: {
      says: [
        '(reached|exceeded) (the|) (maximum|max|usd) budget',
        'max budget usd',
        'cost limit (exceeded|reached)',
        'total cost limit',
        'exceeds limit …… cost limit',
        'spending limit for this session',
        'exit cost',
        'exit due to cost limit',
        'wall clock budget',
        'session budget exceeded',
      ],
      unless: ['current cost'],
    },
    example: 'Reached maximum budget ($2.50)',
  },
  output: {
    kind: 'max_tokens',
    rank: 'cause',
    why: 'the ceiling of output tokens cut the answer',
    when: {
      says: [
        'length limit was reached',
        'max output tokens',
        '(maximum|max) (output|completion) (tokens|length) (reached|exceeded)',
        'output token (limit|maximum)',
        'finish reason length',
        'rollout token budget exhausted',
        'response … truncated … max',
      ],
    },
    example: 'Could not parse response content as the length limit was reached',
  },
  size: {
    kind: 'max_size',
    rank: 'cause',
    why: "the caller's ceiling of bytes cut the answer",
    when: {
      says: [
        'maxbuffer length exceeded',
        'max payload size exceeded',
        'max buffer length exceeded',
        'response content exceeded max size',
        'max content length size',
        'exceeded max size',
      ],
    },
    example: 'maxContentLength size of 1024 exceeded: max content length size',
  },
})
