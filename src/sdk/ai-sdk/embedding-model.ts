import type { EmbeddingModelV4, EmbeddingModelV4CallOptions, EmbeddingModelV4Result } from '@ai-sdk/provider'
import { call } from '../../call/call.ts'
import { WrongArgument } from '../../failure/own-error.ts'
import type { ModelCallOptions } from '../model-options.ts'
import { asOwnAbort } from '../own-abort.ts'
import { withAttempts } from './metadata.ts'
import { providersOf } from './names.ts'

/** An embedding model that asks several servers of the same model in turn. */
export class ResilientEmbeddingModel implements EmbeddingModelV4 {
  readonly specificationVersion = 'v4'
  readonly provider: string
  readonly modelId: string
  readonly #models: ReadonlyMap<string, EmbeddingModelV4>
  readonly #options: ModelCallOptions

  constructor(models: readonly EmbeddingModelV4[], options: ModelCallOptions) {
    const [first] = models as [EmbeddingModelV4]
    this.provider = first.provider
    this.modelId = first.modelId
    checkSame(models)
    const names = providersOf(models)
    this.#models = new Map(models.map((model, at) => [names[at] as string, model]))
    this.#options = options
  }

  /** The smallest of all. */
  get maxEmbeddingsPerCall(): PromiseLike<number | undefined> {
    return Promise.all([...this.#models.values()].map(model => model.maxEmbeddingsPerCall)).then(all => {
      const most = Math.min(...all.map(one => one ?? Infinity))
      return most === Infinity ? undefined : most
    })
  }

  get supportsParallelCalls(): PromiseLike<boolean> {
    return Promise.all([...this.#models.values()].map(model => model.supportsParallelCalls)).then(all =>
      all.every(Boolean),
    )
  }

  async doEmbed(asked: EmbeddingModelV4CallOptions): Promise<EmbeddingModelV4Result> {
    const { value, ...rest } = await call(
      ({ provider, signal }) =>
        (this.#models.get(provider as string) as EmbeddingModelV4).doEmbed({
          ...asked,
          abortSignal: signal,
        }) as Promise<EmbeddingModelV4Result>,
      { ...this.#options, pool: [...this.#models.keys()], model: this.modelId, signal: asked.abortSignal },
    ).catch(error => Promise.reject(asOwnAbort(error, asked.abortSignal)))
    return { ...value, providerMetadata: withAttempts(value.providerMetadata, rest) }
  }
}

/** Vectors of different models cannot be compared, so a failover between them would spoil an index without a trace. */
function checkSame(models: readonly EmbeddingModelV4[]): void {
  const names = [...new Set(models.map(({ modelId }) => modelId.split('/').at(-1)))]
  if (names.length > 1)
    throw new WrongArgument(
      `resilient: embedding models must be the same model at different providers, not ${names.join(' and ')}: their vectors cannot be compared`,
    )
}
