import { family } from '../rule.ts'
import { refused } from './example.ts'

/** SambaNova. */
export default family('sambanova', {
  queue_full: {
    kind: 'overloaded',
    effect: 'none',
    rank: 'named',
    why: 'its 504: the queue is full, reported at once; no deadline has passed',
    when: { status: [504], vendor: ['sambanova'] },
    example: refused(504, {}),
    exampleProvider: 'sambanova',
  },
  model_gone: {
    kind: 'model_not_found',
    rank: 'named',
    why: 'its 410: the model was withdrawn',
    when: { status: [410], vendor: ['sambanova'] },
    example: refused(410, {}),
    exampleProvider: 'sambanova',
  },
})
