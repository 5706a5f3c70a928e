import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamResult,
} from '@ai-sdk/provider'
import { call } from '../../call/call.ts'
import { isCallFailed } from '../../call/call-failed.ts'
import type { CallResult } from '../../call/call-result.ts'
import type { CallFunction } from '../../call/context.ts'
import { NoAnswer } from '../../failure/stream/stream-cut.ts'
import { asOwnAbort, passingOwnAbort } from '../own-abort.ts'
import { isCut, remarkOn } from './answer.ts'
import { withAttempts } from './metadata.ts'
import { providersOf } from './names.ts'
import { failing, passedOn } from './passed-on.ts'
import type { ResilientOptions } from './resilient-options.ts'

/** A language model that asks several in turn. One call of it is one question: a failed step of an agent never repeats its tools. */
export class ResilientLanguageModel implements LanguageModelV4 {
  readonly specificationVersion = 'v4'
  readonly provider: string
  readonly modelId: string
  readonly #models: ReadonlyMap<string, LanguageModelV4>
  readonly #options: ResilientOptions

  constructor(models: readonly LanguageModelV4[], options: ResilientOptions) {
    const [first] = models as [LanguageModelV4]
    this.provider = first.provider
    this.modelId = first.modelId
    const names = providersOf(models)
    this.#models = new Map(models.map((model, at) => [names[at] as string, model]))
    this.#options = options
  }

  /** Only what all models can load themselves: the SDK loads the rest for them. */
  get supportedUrls(): PromiseLike<Record<string, RegExp[]>> {
    return Promise.all([...this.#models.values()].map(model => model.supportedUrls)).then(common)
  }

  async doGenerate(asked: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> {
    const { value, ...rest } = await this.#call<LanguageModelV4GenerateResult>(
      async ({ provider, signal }) => {
        const answer = await this.#modelOf(provider).doGenerate({ ...asked, abortSignal: signal })
        if (isCut(answer)) throw new NoAnswer('the model ended without an answer')
        return answer
      },
      asked,
    )
    return { ...value, providerMetadata: withAttempts(value.providerMetadata, rest) }
  }

  async doStream(asked: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    const begun = new Map<string | undefined, LanguageModelV4StreamResult>()
    const answered = this.#call(async ({ provider, signal }) => {
      const answer = await this.#modelOf(provider).doStream({ ...asked, abortSignal: signal })
      begun.set(provider, answer)
      return answer.stream
    }, asked)
    let result: Awaited<typeof answered>
    try {
      result = await answered
    } catch (error) {
      if (!isCallFailed(error)) throw error
      // The SDK lets a text stream end as if all were well if this rejects.
      return { stream: failing(error) }
    }
    return { ...begun.get(result.provider), stream: passedOn(result, asked.abortSignal) }
  }

  #modelOf(provider: string | undefined): LanguageModelV4 {
    return this.#models.get(provider as string) as LanguageModelV4
  }

  async #call<T>(work: CallFunction<T>, asked: LanguageModelV4CallOptions): Promise<CallResult<T>> {
    const { failoverOn, fits, ...options } = this.#options
    const { abortSignal: signal } = asked
    const models = Object.fromEntries([...this.#models].map(([name, { modelId }]) => [name, modelId]))
    try {
      return await call(work, {
        ...options,
        pool: [...this.#models.keys()],
        models,
        signal,
        firstChunkMs: options.firstChunkMs ?? Infinity,
        passThrough: passingOwnAbort(signal, options.passThrough),
        ...(failoverOn
          ? { finish: failoverOn, finishOf: value => remarkOn(value, asked, failoverOn, fits) }
          : {}),
      })
    } catch (error) {
      throw asOwnAbort(error, signal)
    }
  }
}

function common(all: readonly Record<string, RegExp[]>[]): Record<string, RegExp[]> {
  const [first = {}, ...others] = all
  const isEverywhere = (type: string, pattern: RegExp) =>
    others.every(urls => urls[type]?.some(({ source }) => source === pattern.source))
  return Object.fromEntries(
    Object.entries(first).map(([type, patterns]) => [
      type,
      patterns.filter(pattern => isEverywhere(type, pattern)),
    ]),
  )
}
