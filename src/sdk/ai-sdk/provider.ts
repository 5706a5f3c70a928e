import type { EmbeddingModelV4, LanguageModelV4, ProviderV4 } from '@ai-sdk/provider'
import { WrongArgument } from '../../failure/own-error.ts'
import { resilient } from './resilient.ts'
import { checkResilientOptions, type ResilientOptions } from './resilient-options.ts'

/** Settings of {@link resilientProvider}. */
export interface ResilientProviderOptions extends ResilientOptions {
  /** Models to ask after a language model of the provider, by its id. Default: none. */
  fallbacks?: ((modelId: string) => readonly LanguageModelV4[]) | undefined
}

/** A provider whose models are resilient, so that an app changes in one place. */
export function resilientProvider<P extends ProviderV4>(
  provider: P,
  given: ResilientProviderOptions = {},
): P {
  if (!isProvider(provider))
    throw new WrongArgument(
      'resilientProvider: takes a provider, such as openai; for models there is resilient([…])',
    )
  checkResilientOptions('resilientProvider', given, ['fallbacks'])
  const { fallbacks = () => [], ...options } = given
  if (typeof fallbacks !== 'function')
    throw new WrongArgument(
      "resilientProvider: fallbacks must be a function of the model's id, such as () => [openai('gpt-5')]",
    )
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

function isProvider(value: unknown): boolean {
  return (
    typeof value === 'function' || (typeof value === 'object' && value !== null && 'languageModel' in value)
  )
}
