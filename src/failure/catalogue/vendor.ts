/**
 * Whose words these are. Some codes mean different things at different vendors (1300 is a rate limit at
 * Mistral and a policy block at Zhipu), so rules may ask for the vendor. It is known from the provider's
 * name, or from a host or brand in the text.
 */
export const VENDORS = {
  anthropic: {
    provider: /anthropic|claude/,
    says: ['api anthropic com', 'console anthropic com', 'docs claude com'],
  },
  openai: {
    provider: /^openai|codex|chatgpt/,
    says: ['platform openai com', 'help openai com', 'api openai com', 'chatgpt com'],
  },
  azure: { provider: /azure/, says: ['azure open ai', 'openai azure com', 'cognitiveservices azure'] },
  google: {
    provider: /gemini|google|vertex|palm|antigravity/,
    says: ['ai google dev', 'googleapis com', 'google rpc', 'cloud google com', 'ai dev'],
  },
  aws: { provider: /bedrock|aws|amazon|sagemaker/, says: ['amazonaws com', 'bedrock'] },
  openrouter: { provider: /openrouter/, says: ['openrouter ai', 'openrouter'] },
  zhipu: { provider: /zhipu|z\.?ai\b|zai|glm|bigmodel/, says: ['bigmodel cn', 'z ai', 'zhipu'] },
  dashscope: {
    provider: /dashscope|alibaba|aliyun|qwen|bailian|model-?studio/,
    says: ['aliyun com', 'dashscope', 'alibabacloud com', 'model studio'],
  },
  minimax: { provider: /minimax/, says: ['minimax'] },
  moonshot: { provider: /moonshot|kimi/, says: ['moonshot', 'kimi'] },
  mistral: { provider: /mistral|codestral/, says: ['mistral ai', 'mistral'] },
  cohere: { provider: /cohere/, says: ['cohere'] },
  groq: { provider: /groq/, says: ['console groq com', 'groq'] },
  together: { provider: /together/, says: ['together ai', 'together xyz'] },
  fireworks: { provider: /fireworks/, says: ['fireworks ai', 'fireworks'] },
  sambanova: { provider: /sambanova/, says: ['sambanova'] },
  cerebras: { provider: /cerebras/, says: ['cerebras'] },
  deepseek: { provider: /deepseek/, says: ['deepseek'] },
  xai: { provider: /x-?ai\b|grok/, says: ['x ai', 'console x ai', 'grok'] },
  nvidia: { provider: /nvidia|nim\b/, says: ['nvidia'] },
  huggingface: { provider: /hugging-?face|^hf\b/, says: ['huggingface co', 'hugging face'] },
  replicate: { provider: /replicate/, says: ['replicate com', 'replicate'] },
  baidu: { provider: /baidu|qianfan|ernie|wenxin/, says: ['baidu', 'qianfan'] },
  ark: { provider: /\bark\b|volc|doubao|byteplus/, says: ['volcengine', 'volces com', 'byteplus'] },
  tencent: { provider: /tencent|hunyuan/, says: ['tencent', 'hunyuan'] },
  ollama: { provider: /ollama/, says: ['ollama'] },
  litellm: { provider: /litellm/, says: ['litellm'] },
  copilot: { provider: /copilot/, says: ['copilot'] },
  github: { provider: /github/, says: ['docs github com', 'api github com'] },
  cloudflare: { provider: /cloudflare|workers-ai/, says: ['cloudflare'] },
  portkey: { provider: /portkey/, says: ['portkey'] },
  claude: { provider: /claude/, says: ['claude code', 'claude ai'] },
  kimi: { provider: /kimi/, says: [] },
  mysql: { provider: /mysql|mariadb/, says: [] },
  sqlite: { provider: /sqlite/, says: [] },
  grpc: { provider: /grpc/, says: [] },
  mongodb: { provider: /mongo/, says: [] },
  amqp: { provider: /amqp|rabbit/, says: [] },
  obsidian: { provider: /obsidian/, says: ['obsidian'] },
  smtp: { provider: /smtp|nodemailer|mail/, says: ['smtp'] },
  telegram: { provider: /telegram|grammy|telegraf/, says: ['telegram'] },
  slack: { provider: /slack/, says: ['slack com', 'slack'] },
  twilio: { provider: /twilio/, says: ['twilio'] },
} as const satisfies Record<string, { provider: RegExp; says: readonly string[] }>

export type Vendor = keyof typeof VENDORS

const NAMES = Object.keys(VENDORS) as Vendor[]

/** The vendors that a provider's name points to. */
export function vendorsOfProvider(provider: string | undefined): Vendor[] {
  if (!provider) return []
  const name = provider.toLowerCase()
  return NAMES.filter(vendor => VENDORS[vendor].provider.test(name))
}

/** Phrases that betray a vendor in a text, in a fixed order. */
export const VENDOR_PHRASES: readonly { vendor: Vendor; phrase: string }[] = NAMES.flatMap(vendor =>
  VENDORS[vendor].says.map(phrase => ({ vendor, phrase })),
)
