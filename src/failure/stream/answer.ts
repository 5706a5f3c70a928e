import { constructorName, dataOf, isList, isObject, lastElements } from '../observe/read.ts'
import { AI_SDK } from './ai-sdk.ts'
import { type Finish, finishFrom } from './finish.ts'
import { listOf, objectOf, textOf } from './grammar.ts'

/**
 * What is special about a whole answer that a client returned: cut at its token limit, or filtered. Undefined for any other
 * answer, and for one that reports an error. Runs no getter.
 */
export function finishOf(answer: unknown): Finish | undefined {
  if (!isObject(answer) || isObject(dataOf(answer, 'error'))) return undefined
  // The pieces of a streamed answer, as a list: the last ones say how it ended.
  if (isList(answer)) return lastElements(answer, 8).map(finishOf).findLast(Boolean)
  for (const read of SHAPES) {
    const word = read(answer)
    const finish = word === '' ? undefined : finishFrom(word)
    if (finish) return finish
  }
  return undefined
}

const SHAPES = [chat, message, response, gemini, aiSdk, langChain]

function chat(answer: object): string {
  const choices = listOf(answer, 'choices') ?? []
  for (const choice of choices) {
    const word = textOf(choice, 'finish_reason')
    if (finishFrom(word)) return word
    const said = objectOf(choice, 'message')
    if (said && textOf(said, 'refusal') !== '') return 'refusal'
  }
  return ''
}

function message(answer: object): string {
  return listOf(answer, 'content') || textOf(answer, 'role') === 'assistant'
    ? textOf(answer, 'stop_reason')
    : ''
}

function response(answer: object): string {
  if (textOf(answer, 'object') !== 'response') return ''
  if (textOf(answer, 'status') === 'incomplete')
    return textOf(objectOf(answer, 'incomplete_details') ?? {}, 'reason')
  const parts = (listOf(answer, 'output') ?? []).flatMap(item => listOf(item, 'content') ?? [])
  return parts.some(part => textOf(part, 'type') === 'refusal') ? 'refusal' : ''
}

function gemini(answer: object): string {
  const words = listOf(answer, 'candidates')?.map(candidate => textOf(candidate, 'finishReason'))
  const special = words?.find(word => finishFrom(word))
  if (special !== undefined) return special
  const feedback = objectOf(answer, 'promptFeedback')
  return !feedback || textOf(feedback, 'blockReason') === '' ? '' : 'prohibited_content'
}

/** Results of `generateText` have it in their last step, those of `generateObject` themselves. */
function aiSdk(answer: object): string {
  const last = listOf(answer, 'steps')?.at(-1) ?? answer
  return textOf(last, 'finishReason')
}

function langChain(answer: object): string {
  const metadata = objectOf(answer, 'response_metadata')
  if (!metadata) return ''
  const words = ['finish_reason', 'stop_reason', 'finishReason', 'done_reason']
  const word = words.map(name => textOf(metadata, name)).find(said => said !== '')
  return word ?? textOf(objectOf(metadata, 'incomplete_details') ?? {}, 'reason')
}

/**
 * True for the result of a client that found no answer in what came and did not say so: of `generateText` without words, the
 * vendor's word for the end or a usage, or Gemini's without candidates. Runs no getter.
 */
export function isNoAnswer(value: object): boolean {
  const last = listOf(value, 'steps')?.at(-1)
  if (last && !listOf(last, 'content')?.length)
    return AI_SDK.begin()({ ...last, type: 'finish' }).isCut === true
  return (
    constructorName(value) === 'GenerateContentResponse' &&
    !('candidates' in value) &&
    !('promptFeedback' in value)
  )
}
