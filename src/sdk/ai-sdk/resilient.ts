import type { EmbeddingModelV4, LanguageModelV4 } from '@ai-sdk/provider'
import { isObject } from '../../failure/observe/read.ts'
import { WrongArgument } from '../../failure/own-error.ts'
import { checkModelOptions, type ModelCallOptions } from '../model-options.ts'
import { ResilientEmbeddingModel } from './embedding-model.ts'
import { ResilientLanguageModel } from './language-model.ts'
import { checkModels } from './names.ts'
import { checkResilientOptions, type ResilientOptions } from './resilient-options.ts'

/**
 * A model for the AI SDK that retries, and asks the next model, as the policy says; a stream until its first content. Give it to
 * `generateText`, `streamText`, an agent or `embed` like any other model.
 *
 *   resilient([anthropic('claude-sonnet-4-5'), openai('gpt-5')], { budgetMs: 60_000 })
 */
export function resilient(models: readonly LanguageModelV4[], options?: ResilientOptions): LanguageModelV4
export function resilient(models: readonly EmbeddingModelV4[], options?: ModelCallOptions): EmbeddingModelV4
export function resilient(
  models: readonly LanguageModelV4[] | readonly EmbeddingModelV4[],
  options: ResilientOptions = {},
): LanguageModelV4 | EmbeddingModelV4 {
  if (!Array.isArray(models) || models.length === 0)
    throw new WrongArgument(
      "resilient: models must be a list of at least one model, such as [openai('gpt-5')]",
    )
  const [first] = models as readonly unknown[]
  if (isObject(first) && 'doEmbed' in first) {
    checkModels('resilient: models', models, 'embedding')
    checkModelOptions('resilient, embeddings', options)
    return new ResilientEmbeddingModel(models as readonly EmbeddingModelV4[], options)
  }
  checkModels('resilient: models', models, 'language')
  checkResilientOptions('resilient', options)
  return new ResilientLanguageModel(models as readonly LanguageModelV4[], options)
}
