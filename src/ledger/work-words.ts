import { engineInWords } from './engine-words.ts'
import { ENGINE_PREFIX } from './hold-words.ts'

/** What people call the work of an operation: its capability, or the queue of another engine: `reviews (BullMQ)`. */
export function workInWords(capability: string): string {
  if (!capability.startsWith(ENGINE_PREFIX)) return capability
  const [engine = '', ...queue] = capability.slice(ENGINE_PREFIX.length).split('/')
  return queue.length === 0 ? engineInWords(engine) : `${queue.join('/')} (${engineInWords(engine)})`
}
