import { family } from '../rule.ts'
import { refused } from './example.ts'

/** Azure OpenAI and Foundry, where they differ from OpenAI. */
export default family('azure', {
  shared_capacity: {
    kind: 'overloaded',
    effect: 'none',
    rank: 'cause',
    why: 'a 429 about the load of all customers, not our rate or quota',
    when: {
      says: [
        'temporarily unable to process (your|the|this) request',
        'maximum usage size allowed during peak load',
      ],
    },
    example: refused(429, {
      code: '429',
      message:
        "We're sorry, the service is temporarily unable to process your request. Please try again later.",
    }),
  },
  wrong_route: {
    kind: 'config',
    rank: 'named',
    why: 'the model exists but does not support this API',
    when: [
      { code: ['OperationNotSupported'] },
      { says: ['operation does not work with the specified model'] },
    ],
    example: refused(400, {
      code: 'OperationNotSupported',
      message: 'The chatCompletion operation does not work with the specified model',
    }),
  },
})
