import type { LanguageModelV4CallOptions, LanguageModelV4GenerateResult } from '@ai-sdk/provider'
import { dataOf, isObject } from '../../failure/observe/read.ts'
import { AI_SDK } from '../../failure/stream/ai-sdk.ts'
import type { Finish } from '../../failure/stream/finish.ts'

/** Whether JSON fits the JSON Schema that was asked for. */
export type SchemaCheck = (json: unknown, schema: object | undefined) => boolean

type Answer = Pick<LanguageModelV4GenerateResult, 'content' | 'finishReason'> &
  Partial<LanguageModelV4GenerateResult>

/** True for an answer that ended without a word of the vendor. */
export function isCut({ content, ...answer }: Answer): boolean {
  return content.length === 0 && AI_SDK.begin()({ ...answer, type: 'finish' }).isCut === true
}

/** What is special about a complete answer: the first of these that it is. */
export function remarkOn(
  value: unknown,
  { responseFormat }: Pick<LanguageModelV4CallOptions, 'responseFormat'>,
  asked: readonly Finish['as'][],
  fits: SchemaCheck = hasRequired,
): Finish | undefined {
  if (!isAnswer(value)) return undefined
  const { content, finishReason } = value
  const reason = finishReason.raw ?? finishReason.unified
  const isEmpty = !content.some(part =>
    part.type === 'text' || part.type === 'reasoning' ? part.text.trim() !== '' : true,
  )
  const is: Record<Finish['as'], () => boolean> = {
    filtered: () => finishReason.unified === 'content-filter',
    length: () => finishReason.unified === 'length',
    empty: () => isEmpty,
    schema: () =>
      responseFormat?.type === 'json' &&
      finishReason.unified === 'stop' &&
      !isJson(value, responseFormat.schema, fits),
  }
  const as = asked.find(name => is[name]())
  return as && { as, reason }
}

function isAnswer(value: unknown): value is Answer {
  return isObject(value) && Array.isArray(dataOf(value, 'content')) && isObject(dataOf(value, 'finishReason'))
}

function isJson(
  { content, structuredOutputText }: Answer,
  schema: object | undefined,
  fits: SchemaCheck,
): boolean {
  const text = structuredOutputText ?? content.map(part => (part.type === 'text' ? part.text : '')).join('')
  try {
    return fits(JSON.parse(text), schema)
  } catch {
    return false
  }
}

/** Checks the form alone: the SDK checks the rest, and a wrong alarm would cost a second answer. */
function hasRequired(json: unknown, schema: object | undefined): boolean {
  const required = schema && dataOf(schema, 'required')
  if (!Array.isArray(required)) return true
  return isObject(json) && required.every(name => dataOf(json, String(name)) !== undefined)
}
