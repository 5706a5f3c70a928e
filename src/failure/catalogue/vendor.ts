/**
 * Vendors that rules ask for. Some codes mean different things at different vendors: 1300 is a rate limit at Mistral and
 * a policy block at Zhipu. The vendor is recognised by the provider's name, or by a host or brand in the text.
 */
export const VENDORS = {
  google: {
    provider: /gemini|google|vertex|palm|antigravity/,
    says: ['ai google dev', 'googleapis com', 'google rpc', 'cloud google com', 'ai dev'],
  },
  openai: { provider: /openai|chatgpt|codex|\bgpt/, says: ['platform openai com', 'openai com'] },
  aws: { provider: /bedrock|aws|amazon|sagemaker/, says: ['amazonaws com', 'bedrock'] },
  openrouter: { provider: /openrouter/, says: ['openrouter ai', 'openrouter'] },
  zhipu: { provider: /zhipu|z\.?ai\b|zai|glm|bigmodel/, says: ['bigmodel cn', 'z ai', 'zhipu'] },
  dashscope: {
    provider: /dashscope|alibaba|aliyun|qwen|bailian|model-?studio/,
    says: ['aliyun com', 'dashscope', 'alibabacloud com', 'model studio'],
  },
  minimax: { provider: /minimax/, says: ['minimax'] },
  mistral: { provider: /mistral|codestral/, says: ['mistral ai', 'mistral'] },
  cohere: { provider: /cohere/, says: ['cohere'] },
  groq: { provider: /groq/, says: ['console groq com', 'groq'] },
  fireworks: { provider: /fireworks/, says: ['fireworks ai', 'fireworks'] },
  sambanova: { provider: /sambanova/, says: ['sambanova'] },
  baidu: { provider: /baidu|qianfan|ernie|wenxin/, says: ['baidu', 'qianfan'] },
  copilot: { provider: /copilot/, says: ['copilot'] },
  cloudflare: { provider: /cloudflare|workers-ai/, says: ['cloudflare'] },
  portkey: { provider: /portkey/, says: ['portkey'] },
  mysql: { provider: /mysql|mariadb/, says: [] },
} as const satisfies Record<string, { provider: RegExp; says: readonly string[] }>

export type Vendor = keyof typeof VENDORS

const NAMES = Object.keys(VENDORS) as Vendor[]

/** Most providers are tools and services whose name points to no vendor. */
const ANY = new RegExp(NAMES.map(vendor => VENDORS[vendor].provider.source).join('|'))

/** How many provider names to cache; few providers fail often. */
const MOST_PROVIDERS = 64
const NONE: readonly Vendor[] = []
const vendorsBefore = new Map<string, readonly Vendor[]>()

/** The vendors that a provider's name points to. */
export function vendorsOfProvider(provider: string | undefined): readonly Vendor[] {
  if (!provider) return []
  const before = vendorsBefore.get(provider)
  if (before) return before
  const name = provider.toLowerCase()
  const vendors = !ANY.test(name) ? NONE : NAMES.filter(vendor => VENDORS[vendor].provider.test(name))
  if (vendorsBefore.size === MOST_PROVIDERS) vendorsBefore.clear()
  vendorsBefore.set(provider, vendors)
  return vendors
}

/** Parts of provider names that mean a model API. */
const MODEL_VENDOR =
  /anthropic|claude|openai|chatgpt|\bgpt\b|gemini|vertex|palm|bedrock|openrouter|mistral|codestral|cohere|groq|\bx-?ai\b|grok|deepseek|moonshot|kimi|zhipu|z\.?ai\b|\bglm\b|bigmodel|dashscope|qwen|minimax|fireworks|together|perplexity|cerebras|sambanova|qianfan|ernie|ollama|litellm|huggingface|replicate|workers-ai/

/** True if the provider's name means a model API, which always answers with JSON. */
export function isModelVendor(provider: string | undefined): boolean {
  return provider !== undefined && MODEL_VENDOR.test(provider.toLowerCase())
}

const GATEWAY = /openrouter|litellm|portkey|gateway/

/** True if the provider's name means a gateway to other model APIs. */
export function isGateway(provider: string | undefined): boolean {
  return provider !== undefined && GATEWAY.test(provider.toLowerCase())
}

/** Phrases that identify a vendor in a text, in a fixed order. */
export const VENDOR_PHRASES: readonly { vendor: Vendor; phrase: string }[] = NAMES.flatMap(vendor =>
  VENDORS[vendor].says.map(phrase => ({ vendor, phrase })),
)
