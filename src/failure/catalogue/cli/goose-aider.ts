import { family } from '../rule.ts'
import { answered } from './shapes.ts'

const said = (stdout: string) => answered(stdout, 0)

/** goose and aider, which tell of failures in the chat and exit 0. */
export default [
  ...family('goose', {
    credits: {
      kind: 'billing',
      rank: 'cause',
      why: 'the account at the provider is empty',
      when: { says: ['add credits to your account', 'credits exhausted'] },
      example: said('Please add credits to your account, then resend your message to continue.'),
    },
    endpoint: {
      kind: 'model_not_found',
      rank: 'cause',
      why: 'the address with this model does not exist at the provider',
      when: { says: ['endpoint not found #'] },
      example: said('Ran into this error: Endpoint not found (404): Resource not found.'),
    },
  }),
  ...family('aider', {
    permission: {
      kind: 'auth',
      rank: 'cause',
      why: 'the class that litellm gives a key without rights',
      when: { says: ['litellm permission denied error'] },
      example: said('litellm.PermissionDeniedError: PermissionDeniedError: no'),
    },
    no_model: {
      kind: 'model_not_found',
      rank: 'cause',
      why: 'the class that litellm gives a model or address that does not exist',
      when: { says: ['litellm not found error'] },
      example: said('litellm.NotFoundError: NotFoundError: no'),
    },
  }),
]
