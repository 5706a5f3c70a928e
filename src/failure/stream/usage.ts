import { dataOf, isObject } from '../observe/read.ts'
import { listOf, objectOf, textOf } from './grammar.ts'

/** What an answer used, alike for all vendors. */
export interface TokenUsage {
  /** Tokens of the question, those from a cache included. */
  inputTokens: number
  /** Tokens of the answer, its thoughts included. */
  outputTokens: number
  /** Tokens of the question that came from a cache, which cost less. */
  cachedTokens: number
  /** Tokens that were written to a cache, which may cost more. */
  cacheWriteTokens: number
}

/** An answer's usage, and the model that it says it is from. */
export interface Used {
  usage?: TokenUsage
  model?: string
}

/** What a whole answer, or one event of a stream, says that it used. Runs no getter. */
export function usedBy(answer: unknown): Used {
  if (!isObject(answer)) return {}
  const steps = listOf(answer, 'steps')
  if (steps?.length) return steps.map(usedBy).reduce(added)
  // Some answers are within an event: of Anthropic's first, and of all of OpenAI's responses.
  const within = objectOf(answer, 'message') ?? objectOf(answer, 'response')
  const said = within && !('usage' in answer) ? within : answer
  return usedWith(usageOf(said), modelOf(said))
}

function modelOf(said: object): string | undefined {
  const named = textOf(said, 'model') || textOf(said, 'modelVersion')
  if (named !== '') return named
  const response = objectOf(said, 'response')
  return (response && textOf(response, 'modelId')) || undefined
}

/** Written out, because it runs for every event of every stream. */
function usedWith(usage: TokenUsage | undefined, model: string | undefined): Used {
  if (model === undefined) return usage ? { usage } : NOTHING
  return usage ? { usage, model } : { model }
}

const NOTHING: Used = Object.freeze({})

function usageOf(answer: object): TokenUsage | undefined {
  const google = objectOf(answer, 'usageMetadata')
  if (google) return ofGoogle(google)
  const given = objectOf(answer, 'usage') ?? objectOf(answer, 'usage_metadata')
  if (!given) return undefined
  return 'inputTokens' in given || 'tokens' in given ? ofAiSdk(given) : ofVendor(given)
}

const DETAILS = ['prompt_tokens_details', 'input_tokens_details', 'input_token_details']

/** OpenAI's chat (`prompt_tokens`), OpenAI's responses, Anthropic and LangChain (`input_tokens`). */
function ofVendor(given: object): TokenUsage | undefined {
  const input = numberOf(given, 'prompt_tokens') ?? numberOf(given, 'input_tokens')
  const output = numberOf(given, 'completion_tokens') ?? numberOf(given, 'output_tokens')
  if (input === undefined && output === undefined) return undefined
  const inside = (name: string) => {
    for (const list of DETAILS) {
      const details = objectOf(given, list)
      const count = details && numberOf(details, name)
      if (count !== undefined) return count
    }
    return undefined
  }
  // Anthropic counts what comes from its cache, and goes into it, beside the rest.
  const read = numberOf(given, 'cache_read_input_tokens')
  const written = numberOf(given, 'cache_creation_input_tokens')
  return {
    inputTokens: (input ?? 0) + (read ?? 0) + (written ?? 0),
    outputTokens: output ?? 0,
    cachedTokens: read ?? inside('cached_tokens') ?? inside('cache_read') ?? 0,
    cacheWriteTokens: written ?? inside('cache_creation') ?? 0,
  }
}

function ofGoogle(given: object): TokenUsage {
  const count = (name: string) => numberOf(given, name) ?? 0
  return {
    inputTokens: count('promptTokenCount') + count('toolUsePromptTokenCount'),
    outputTokens: count('candidatesTokenCount') + count('thoughtsTokenCount'),
    cachedTokens: count('cachedContentTokenCount'),
    cacheWriteTokens: 0,
  }
}

/** Of models of the AI SDK, whose counts have parts, and of its results, whose counts are numbers; of embeddings one number. */
function ofAiSdk(given: object): TokenUsage | undefined {
  const total = (name: string) => numberOf(objectOf(given, name) ?? {}, 'total') ?? numberOf(given, name)
  const part = (name: string, long: string) =>
    numberOf(objectOf(given, 'inputTokens') ?? {}, name) ??
    numberOf(objectOf(given, 'inputTokenDetails') ?? {}, long)
  const input = total('inputTokens') ?? numberOf(given, 'tokens')
  const output = total('outputTokens')
  if (input === undefined && output === undefined) return undefined
  return {
    inputTokens: input ?? 0,
    outputTokens: output ?? 0,
    cachedTokens: part('cacheRead', 'cacheReadTokens') ?? numberOf(given, 'cachedInputTokens') ?? 0,
    cacheWriteTokens: part('cacheWrite', 'cacheWriteTokens') ?? 0,
  }
}

function numberOf(given: object, name: string): number | undefined {
  const value = dataOf(given, name)
  return typeof value === 'number' && value >= 0 && value < Infinity ? value : undefined
}

const NAMES = ['inputTokens', 'outputTokens', 'cachedTokens', 'cacheWriteTokens'] as const

function combined(a: Used, b: Used, of: (a: number, b: number) => number): Used {
  const usage =
    a.usage && b.usage
      ? (Object.fromEntries(
          NAMES.map(name => [name, of(a.usage?.[name] ?? 0, b.usage?.[name] ?? 0)]),
        ) as unknown as TokenUsage)
      : (a.usage ?? b.usage)
  return usedWith(usage, a.model ?? b.model)
}

/** Of two answers together. */
function added(a: Used, b: Used): Used {
  return combined(a, b, (one, other) => one + other)
}

/** Of two events of one stream: counts only grow, and some vendors repeat them. */
export function usedSoFar(a: Used, b: Used): Used {
  const isNew = b.usage !== undefined || (b.model !== undefined && a.model === undefined)
  return isNew ? combined(a, b, Math.max) : a
}

/** Where JSON says what it used. Quotes within its texts are escaped, so no text looks like it. */
const USAGE = /"(usage|usageMetadata)"\s*:\s*(?=\{)/g
const MODEL = /"(model|modelVersion)"\s*:\s*"([^"\\]{1,200})"/

/** More objects than any usage has within. */
const MOST_TRIES = 50

/** What a JSON answer that is too long to keep says that it used, by its beginning and its end. */
export function usedByEnds(beginning: string, end: string): Used {
  // A value may lie across the border of both.
  const tail = beginning.slice(-4_096) + end
  const said = [...tail.matchAll(USAGE)].at(-1)
  const usage = said && objectAt(tail, said.index + said[0].length)
  const model = MODEL.exec(beginning) ?? MODEL.exec(tail)
  return usedBy({
    ...(said && usage ? { [said[1] as string]: usage } : {}),
    ...(model ? { model: model[2] } : {}),
  })
}

/** The object that begins here; undefined if it does not end. */
function objectAt(text: string, start: number): object | undefined {
  let end = start
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    end = text.indexOf('}', end + 1)
    if (end === -1) return undefined
    try {
      return JSON.parse(text.slice(start, end + 1)) as object
    } catch {
      // It goes on.
    }
  }
  return undefined
}
