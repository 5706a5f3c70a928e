import { dataOf, isObject, ownKeys } from '../observe/read.ts'
import {
  Alternatives,
  CONTENT,
  ENVELOPE,
  type EventReading,
  finishWord,
  type Grammar,
  listOf,
  objectOf,
  saysSomething,
  textOf,
} from './grammar.ts'

/** Fields of a delta that say nothing of the answer itself. */
const FRAME = new Set(['role', 'name', 'id', 'object'])

/**
 * Chat completions, of OpenAI and of everything that speaks like it, and the older completions. The end is a
 * `finish_reason`, or a last event with the usage, because some servers send only one of them.
 */
export const CHAT: Grammar = {
  recognises(event) {
    const choices = listOf(event, 'choices')
    if (!choices) return false
    if (choices.length > 0) return choices.some(choice => isObject(dataOf(choice, 'delta')) || isOld(choice))
    return textOf(event, 'object').endsWith('.chunk') || (textOf(event, 'id') !== '' && 'model' in event)
  },
  begin() {
    const alternatives = new Alternatives()
    let hasContent = false
    let sendsUsageAlways = false
    return event => {
      const choices = listOf(event, 'choices') ?? []
      let finish = ''
      let isContent = false
      for (const choice of choices) {
        const word = finishWord(choice, 'finish_reason')
        if (isObject(dataOf(choice, 'error'))) return { failed: event }
        if (hasWords(choice)) isContent = true
        alternatives.note(choice, word)
        finish = word || finish
      }
      const reading: EventReading = isContent ? CONTENT : ENVELOPE
      if (finish !== '' && alternatives.areOver) return { ...reading, finish }
      const hasUsage = saysSomething(objectOf(event, 'usage'))
      if (hasUsage && isContent) sendsUsageAlways = true
      if (hasUsage && !isContent && hasContent && (choices.length === 0 || !sendsUsageAlways))
        return { finish }
      hasContent ||= isContent
      return reading
    }
  },
}

function isOld(choice: object): boolean {
  return typeof dataOf(choice, 'text') === 'string' && dataOf(choice, 'message') === undefined
}

function hasWords(choice: object): boolean {
  const delta = objectOf(choice, 'delta')
  if (!delta) return textOf(choice, 'text') !== ''
  return ownKeys(delta, 16).some(key => !FRAME.has(key) && saysSomething(dataOf(delta, key)))
}
