import { family, type Rule } from '../rule.ts'
import { thrown } from './example.ts'

/** Hugging Face and Replicate: sentences instead of codes. */
export default [
  ...family('huggingface', {
    credits: {
      kind: 'billing',
      rank: 'cause',
      why: 'the credits of the month are gone; more of them cost money',
      when: { says: ['exceeded your monthly included credits', 'monthly included credits for inference'] },
      example: { error: 'You have exceeded your monthly included credits for Inference Providers.' },
    },
    not_served: {
      kind: 'invalid_request',
      rank: 'hint',
      why: 'the client says this for any refusal of a server; what stands beside it is nearer',
      when: { says: ['does not seem to support'] },
      example: thrown(
        'InferenceClientProviderApiError',
        'Server x does not seem to support chat completion for model y. Error: {}',
      ),
    },
  }),
  ...family('replicate', {
    nsfw: {
      kind: 'content_policy',
      effect: 'maybe',
      rank: 'cause',
      why: 'the picture was made and then withheld',
      when: { says: ['nsfw (content|image|output)', '(content|image|output) … nsfw'] },
      example: {
        id: 'x',
        status: 'failed',
        error: 'NSFW content detected. Try running it again, or try a different prompt.',
      },
      exampleReturned: true,
    },
    interrupted: {
      kind: 'server_error',
      rank: 'named',
      why: 'the machine was taken away under the job',
      when: { says: ['prediction interrupted', 'prediction (was|) (lost|preempted)'] },
      example: { id: 'x', status: 'failed', error: 'Prediction interrupted; please retry (code: PA)' },
      exampleReturned: true,
    },
  }),
] satisfies Rule[]
