import { family } from '../rule.ts'
import { answer, refused } from './example.ts'

/** Fireworks AI. */
export default family('fireworks', {
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
})
