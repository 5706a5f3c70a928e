import { family } from '../rule.ts'
import { refused } from './example.ts'

/** LiteLLM, the proxy and the library. */
export default family('litellm', {
  budget: {
    kind: 'max_budget',
    effect: 'none',
    rank: 'cause',
    why: 'a budget that the operator of the proxy set on a key, a user, a team or a deployment',
    when: [
      { code: ['type=budget_exceeded', 'rate_limit_type=budget'] },
      { says: ['exceeded budget', 'crossed budget'] },
      { says: ['budget exceeded error'], vendor: ['litellm'] },
    ],
    example: refused(429, { type: 'budget_exceeded' }),
  },
  iterations: {
    kind: 'max_steps',
    rank: 'cause',
    why: "the proxy's turn limit, reported as a rate limit",
    when: { code: ['rate_limit_type=max_iterations'] },
    example: refused(429, { type: 'RateLimitError', rate_limit_type: 'max_iterations' }),
  },
  database: {
    kind: 'server_error',
    effect: 'none',
    rank: 'cause',
    why: 'a 400 of a proxy that has lost its database',
    when: { says: ['no db connection'] },
    example: refused(400, { type: 'no_db_connection' }),
  },
  login: {
    kind: 'auth',
    why: "the proxy's key is refused",
    when: { code: ['auth_error', 'expired_key', 'token_not_found_in_db'] },
    example: { error: { type: 'expired_key', message: 'See the documentation.' } },
  },
  model_access: {
    kind: 'forbidden',
    rank: 'cause',
    why: 'the key is valid but may not use this, even if an old proxy says 401',
    when: { says: ['(model|tool) access denied'] },
    example: refused(401, { type: 'team_model_access_denied' }),
  },
  timeout: {
    kind: 'timeout',
    rank: 'named',
    why: 'its class for a deadline is one bare word',
    when: { says: ['litellm timeout'] },
    example: 'litellm.exceptions.Timeout: litellm.Timeout: See the documentation.',
  },
  params: {
    kind: 'invalid_request',
    rank: 'named',
    why: 'the model does not support that parameter',
    when: { says: ['unsupported params error'] },
    example: 'litellm.UnsupportedParamsError: See the documentation.',
  },
})
