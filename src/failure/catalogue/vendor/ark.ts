import { family } from '../rule.ts'
import { refused } from './example.ts'

/** Volcengine Ark: dotted codes in `code`. */
export default family('ark', {
  risk: {
    kind: 'content_policy',
    rank: 'cause',
    why: 'its word for a content filter',
    when: { says: ['(input|output) (text|image|video|audio|) risk detection'] },
    example: refused(400, { code: 'InputTextRiskDetection' }),
  },
  closed: {
    kind: 'config',
    rank: 'named',
    why: 'the endpoint was closed, by its owner or temporarily',
    when: { says: ['closed endpoint'] },
    example: refused(400, { code: 'InvalidEndpoint.ClosedEndpoint' }),
  },
  model: {
    kind: 'model_not_found',
    rank: 'cause',
    why: 'the model was never activated for the account',
    when: { says: ['model not open', 'model id access disabled'] },
    example: refused(404, { code: 'ModelNotOpen', type: 'NotFound' }),
  },
  busy: {
    kind: 'conflict',
    effect: 'none',
    rank: 'named',
    why: 'another operation on it is still in progress',
    when: { says: ['operation denied invalid state'] },
    example: refused(403, { code: 'OperationDenied.InvalidState', type: 'Forbidden' }),
  },
  cap: {
    kind: 'max_budget',
    rank: 'cause',
    effect: 'none',
    why: 'a limit that the account owner set for the model',
    when: { says: ['set limit exceeded', 'inference limit (exceeded|reached)'] },
    example: refused(429, { code: 'SetLimitExceeded', type: 'TooManyRequests' }),
  },
})
