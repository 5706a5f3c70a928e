import type { Attributes } from '@opentelemetry/api'
import type { Failure } from '../failure/failure.ts'
import type { TokenUsage } from '../failure/stream/usage.ts'
import { known } from './tracing.ts'

/** OpenTelemetry's names for the vendors that providers and agent CLIs are often named after. */
const VENDORS: Readonly<Record<string, string>> = {
  anthropic: 'anthropic',
  claude: 'anthropic',
  openai: 'openai',
  codex: 'openai',
  gemini: 'gcp.gemini',
  google: 'gcp.gemini',
  vertex: 'gcp.vertex_ai',
  bedrock: 'aws.bedrock',
  azure: 'azure.ai.openai',
  cohere: 'cohere',
  deepseek: 'deepseek',
  groq: 'groq',
  mistral: 'mistral_ai',
  perplexity: 'perplexity',
  xai: 'x_ai',
  grok: 'x_ai',
}

/** What is known about work by a model. */
export interface ModelWork {
  provider?: string | undefined
  model?: string | undefined
  /** The conversation that an agent continues. */
  sessionId?: string | undefined
  /** True for an agent run. */
  isAgent?: boolean
  /** What its answer used. */
  usage?: TokenUsage | undefined
}

/** Attributes by the conventions for generative AI; none for work without a known model. */
export function genAiAttributes({
  provider,
  model,
  sessionId,
  isAgent = false,
  usage,
}: ModelWork): Attributes {
  if (!isAgent && model === undefined) return {}
  return known({
    'gen_ai.operation.name': isAgent ? 'invoke_agent' : isEmbedder(model) ? 'embeddings' : 'chat',
    'gen_ai.provider.name': provider === undefined ? undefined : vendorOf(provider),
    'gen_ai.agent.name': isAgent ? provider : undefined,
    'gen_ai.request.model': model,
    'gen_ai.conversation.id': sessionId,
    'gen_ai.usage.input_tokens': usage?.inputTokens,
    'gen_ai.usage.output_tokens': usage?.outputTokens,
    'gen_ai.usage.cache_read.input_tokens': usage?.cachedTokens,
    'gen_ai.usage.cache_creation.input_tokens': usage?.cacheWriteTokens,
  })
}

/** Models that make vectors are named for it: `text-embedding-3-small`, `embed-v4.0`, `nomic-embed-text`. */
function isEmbedder(model: string | undefined): boolean {
  return model !== undefined && /embed/i.test(model)
}

/** The vendor that a provider is named after; otherwise its own name, which the conventions allow. */
function vendorOf(provider: string): string {
  const [first = ''] = provider.toLowerCase().split(/[^a-z]/, 1)
  return VENDORS[first] ?? provider
}

/** Attributes of a failure. */
export function failureAttributes({ class: cls, kind, effect, evidence, status }: Failure): Attributes {
  return known({
    'error.type': kind,
    'mulligan.failure.class': cls,
    'mulligan.failure.kind': kind,
    'mulligan.failure.effect': effect,
    'mulligan.failure.rule': evidence.rule,
    'http.response.status_code': status,
  })
}
