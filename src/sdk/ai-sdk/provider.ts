import type { EmbeddingModelV4, LanguageModelV4, ProviderV4 } from '@ai-sdk/provider'
import type { ResilientOptions } from './language-model.ts'
import { resilient } from './resilient.ts'

/** Settings of {@link resilientProvider}. */
export interface ResilientProviderOptions extends ResilientOptions {
  /** Models to ask after a language model of the provider, by its id. Default: none. */
  fallbacks?: ((modelId: string) => readonly LanguageModelV4[]) | undefined
}

/** A provider whose models are resilient, so that an app changes in one place. */
export function resilientProvider<P extends ProviderV4>(
  provider: P,
  { fallbacks = () => [], ...options }: ResilientProviderOptions = {},
): P {
  const language = (model: LanguageModelV4) => resilient([model, ...fallbacks(model.modelId)], options)
  const { failoverOn: _, fits: __, ...ofCall } = options
  const made = (model: unknown): unknown => {
    if (typeof model !== 'object' || model === null) return model
    if ('doGenerate' in model && 'doStream' in model) return language(model as LanguageModelV4)
    return 'doEmbed' in model ? resilient([model as EmbeddingModelV4], ofCall) : model
  }
  // Providers are functions with many names for the same: openai('…'), openai.chat('…'), openai.languageModel('…').
  return new Proxy(provider, {
    apply: (target, self, given) => made(Reflect.apply(target as never, self, given)),
    get(target, name, receiver) {
      const value: unknown = Reflect.get(target, name, receiver === undefined ? receiver : target)
      return typeof value === 'function'
        ? (...given: unknown[]) => made(Reflect.apply(value, target, given))
        : value
    },
  })
}
