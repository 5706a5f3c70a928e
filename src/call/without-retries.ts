/**
 * Options that switch off the retries built into a client. Two layers of retries multiply: three tries of ours
 * around three of an SDK are nine calls, and the SDK's waits eat the budget unseen. Spread them last:
 *
 *   new OpenAI({ apiKey, ...withoutRetries.openai })
 *   new Anthropic({ apiKey, ...withoutRetries.anthropic })
 *   new GoogleGenAI({ apiKey, ...withoutRetries.google })
 *   generateText({ model, prompt, ...withoutRetries.aiSdk })
 */
export const withoutRetries = {
  openai: { maxRetries: 0 },
  anthropic: { maxRetries: 0 },
  /** One attempt is the first and only one. */
  google: { httpOptions: { retryOptions: { attempts: 1 } } },
  aiSdk: { maxRetries: 0 },
} as const
