import { family } from '../rule.ts'
import { thrown } from './example.ts'

/** Hugging Face. */
export default family('huggingface', {
  credits: {
    kind: 'billing',
    rank: 'cause',
    why: "the month's credits are used up; more cost money",
    when: { says: ['exceeded your monthly included credits', 'monthly included credits for inference'] },
    example: { error: 'You have exceeded your monthly included credits for Inference Providers.' },
  },
  not_served: {
    kind: 'invalid_request',
    rank: 'hint',
    why: 'the client says this for any refusal of a server; anything else is more specific',
    when: { says: ['does not seem to support'] },
    example: thrown(
      'InferenceClientProviderApiError',
      'Server x does not seem to support chat completion for model y. Error: {}',
    ),
  },
})
