import type { LanguageModelV4, LanguageModelV4Middleware } from '@ai-sdk/provider'
import { WrongArgument } from '../../failure/own-error.ts'
import { checkModels } from './names.ts'
import { resilient } from './resilient.ts'
import { checkResilientOptions, type ResilientOptions } from './resilient-options.ts'

/** Settings of {@link resilientMiddleware}. */
export interface ResilientMiddlewareOptions extends ResilientOptions {
  /** Models to ask after the wrapped one. Default: none; then the wrapped one is retried. */
  fallbacks?: readonly LanguageModelV4[] | undefined
}

/** Makes a model resilient where an app wraps its models already: with `wrapLanguageModel`. */
export function resilientMiddleware(given: ResilientMiddlewareOptions = {}): LanguageModelV4Middleware {
  checkResilientOptions('resilientMiddleware', given, ['fallbacks'])
  const { fallbacks = [], ...options } = given
  if (!Array.isArray(fallbacks))
    throw new WrongArgument(
      "resilientMiddleware: fallbacks must be a list of models, such as [openai('gpt-5')]",
    )
  checkModels('resilientMiddleware: fallbacks', fallbacks, 'language')
  const wrapped = new WeakMap<LanguageModelV4, LanguageModelV4>()
  const around = (model: LanguageModelV4): LanguageModelV4 => {
    const made = wrapped.get(model) ?? resilient([model, ...fallbacks], options)
    wrapped.set(model, made)
    return made
  }
  return {
    specificationVersion: 'v4',
    overrideSupportedUrls: ({ model }) => around(model).supportedUrls,
    wrapGenerate: ({ model, params }) => around(model).doGenerate(params),
    wrapStream: ({ model, params }) => around(model).doStream(params),
  }
}
