import { family, type Rule } from '../rule.ts'
import { answer, refused, thrown } from './example.ts'

/** Hosts of open models and search: Together, Fireworks, xAI, Cerebras, SambaNova, NVIDIA. */
export default [
  ...family('together', {
    dynamic_rate: {
      kind: 'rate_limit',
      rank: 'named',
      why: 'above the rate that it grants at the moment',
      when: { says: ['dynamic (request|token) limited'] },
      example: { error: { message: 'See the documentation.', error_type: 'dynamic_token_limited' } },
    },
    too_long: {
      kind: 'context_overflow',
      rank: 'cause',
      why: 'a 403 that has nothing to do with rights: prompt and answer together do not fit',
      when: { says: ['(inputs|input|prompt) tokens max (new|) tokens (parameter|) must be'] },
      example: refused(403, { message: '`inputs` tokens + `max_new_tokens` must be <= 4097.' }),
    },
  }),
  ...family('fireworks', {
    suspended: {
      kind: 'billing',
      rank: 'cause',
      why: 'its 412 is an account suspended over money',
      when: { status: [412], vendor: ['fireworks'], unless: ['lora', 'adapter', 'addon'] },
      example: answer(412, { error: 'See the documentation.' }),
      exampleProvider: 'fireworks',
    },
    adapter: {
      kind: 'config',
      rank: 'named',
      why: 'the other 412: the fine-tuned part of the model does not load',
      when: { says: ['lora', 'adapter', 'addon'], status: [412], vendor: ['fireworks'] },
      example: refused(412, { message: 'Failed to load LoRA adapter' }),
      exampleProvider: 'fireworks',
    },
  }),
  ...family('xai', {
    no_credits: {
      kind: 'billing',
      rank: 'cause',
      why: 'a team without credits is refused with a 403',
      when: { says: ['(doesnt|does not|dont|do not) have any (credits|credit|licenses)'] },
      example: thrown(
        'PermissionDeniedError',
        '403 "Your newly created team doesn\'t have any credits or licenses yet."',
        { status: 403 },
      ),
    },
  }),
  ...family('cerebras', {
    queue_full: {
      kind: 'overloaded',
      effect: 'none',
      rank: 'cause',
      why: 'a 429 for a queue that everybody shares',
      when: { says: ['queue exceeded'] },
      example: answer(429, {
        message: 'See the documentation.',
        type: 'too_many_requests_error',
        param: 'queue',
        code: 'queue_exceeded',
      }),
    },
  }),
  ...family('sambanova', {
    queue_full: {
      kind: 'overloaded',
      effect: 'none',
      rank: 'named',
      why: 'its 504 is a queue that is full, told at once; no deadline has passed',
      when: { status: [504], vendor: ['sambanova'] },
      example: refused(504, {}),
      exampleProvider: 'sambanova',
    },
    model_gone: {
      kind: 'model_not_found',
      rank: 'named',
      why: 'its 410 is a model that was taken off',
      when: { status: [410], vendor: ['sambanova'] },
      example: refused(410, {}),
      exampleProvider: 'sambanova',
    },
  }),
  ...family('nvidia', {
    function_gone: {
      kind: 'model_not_found',
      rank: 'cause',
      why: 'models are functions there; one that was withdrawn is not found for the account',
      when: { says: ['function … not found for account'] },
      example: answer(404, {
        status: 404,
        title: 'Not Found',
        detail: "Function 'abc': Not found for account 'xyz'",
      }),
    },
  }),
] satisfies Rule[]
