/**
 * Options that switch off a client's built-in retries. Two layers of retries multiply: three tries of ours around three of an
 * SDK are nine calls, and the SDK's waits use up the budget unnoticed. Spread them last:
 *
 *   new OpenAI({ apiKey, ...withoutRetries.openai })
 *   new Anthropic({ apiKey, ...withoutRetries.anthropic })
 *   new GoogleGenAI({ apiKey, httpOptions: { baseUrl, ...withoutRetries.google } })
 *   generateText({ model, prompt, ...withoutRetries.aiSdk })
 *   new ChatOpenAI({ model, ...withoutRetries.langchain })
 *   axiosRetry(axios, { ...withoutRetries.axiosRetry })
 *   ky.post(url, { json, ...withoutRetries.ky })
 *   got.post(url, { json, ...withoutRetries.got })
 */
export const withoutRetries = {
  openai: { maxRetries: 0 },
  anthropic: { maxRetries: 0 },
  /** For `httpOptions`. Counts the first attempt, so 1 means no retries. */
  google: { retryOptions: { attempts: 1 } },
  aiSdk: { maxRetries: 0 },
  /** Its models retry six times by default. */
  langchain: { maxRetries: 0 },
  axiosRetry: { retries: 0 },
  ky: { retry: 0 },
  got: { retry: { limit: 0 } },
} as const
