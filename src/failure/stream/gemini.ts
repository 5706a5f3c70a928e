import { dataOf, ownKeys } from '../observe/read.ts'
import {
  Alternatives,
  CONTENT,
  ENVELOPE,
  finishWord,
  type Grammar,
  listOf,
  objectOf,
  saysSomething,
  textOf,
} from './grammar.ts'

/** Fields of a part that only describe it. */
const FRAME = new Set(['thought', 'thoughtSignature', 'partMetadata'])

/** Google's Gemini API. Every event may have the usage, so only a `finishReason`, or a refused prompt, is the end. */
export const GEMINI: Grammar = {
  recognises: event =>
    listOf(event, 'candidates') !== undefined ||
    objectOf(event, 'promptFeedback') !== undefined ||
    (objectOf(event, 'usageMetadata') !== undefined &&
      (textOf(event, 'modelVersion') !== '' || textOf(event, 'responseId') !== '')),
  begin() {
    const alternatives = new Alternatives()
    return event => {
      const blocked = textOf(objectOf(event, 'promptFeedback') ?? {}, 'blockReason')
      if (blocked !== '') return { finish: 'prohibited_content' }
      let finish = ''
      let isContent = false
      for (const candidate of listOf(event, 'candidates') ?? []) {
        const word = finishWord(candidate, 'finishReason').replace('FINISH_REASON_UNSPECIFIED', '')
        if (hasWords(candidate)) isContent = true
        alternatives.note(candidate, word)
        finish = word || finish
      }
      const reading = isContent ? CONTENT : ENVELOPE
      return finish !== '' && alternatives.areOver ? { ...reading, finish } : reading
    }
  },
}

function hasWords(candidate: object): boolean {
  const parts = listOf(objectOf(candidate, 'content') ?? {}, 'parts') ?? []
  return parts.some(part =>
    ownKeys(part, 16).some(key => !FRAME.has(key) && saysSomething(dataOf(part, key))),
  )
}
