import { family } from '../rule.ts'
import { refused } from './example.ts'

/** SambaNova. */
export default family('sambanova', {
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
})
