import { family } from '../rule.ts'

/** Replicate. */
export default family('replicate', {
  nsfw: {
    kind: 'content_policy',
    effect: 'maybe',
    rank: 'cause',
    why: 'the image was generated and then withheld',
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
    why: 'the machine was removed during the job',
    when: { says: ['prediction interrupted', 'prediction (was|) (lost|preempted)'] },
    example: 'Prediction interrupted',
  },
})
