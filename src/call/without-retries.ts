/**
 * Options that switch off a client's built-in retries. Two layers of retries multiply: three tries of ours around three of an
 * SDK are nine calls, and the SDK's waits use up the budget unnoticed. Spread them last:
 *
 *   new OpenAI({ apiKey, ...withoutRetries.openai })
 *   new Anthropic({ apiKey, ...withoutRetries.anthropic })
 *   new GoogleGenAI({ apiKey, ...withoutRetries.google })
 *   generateText({ model, prompt, ...withoutRetries.aiSdk })
 */
export const withoutRetries = {
  openai: { maxRetries: 0 },
  anthropic: { maxRetries: 0 },
  /** Counts the first attempt, so 1 means no retries. */
  google: { httpOptions: { retryOptions: { attempts: 1 } } },
  aiSdk: { maxRetries: 0 },
} as const
