/** What a user writes for a second model, from import to model, as in the documentation of each. */
const LINES: Readonly<Record<string, readonly string[]>> = {
  '`resilient`': [
    "import { resilient } from '@mulligan/core/ai-sdk'",
    "const model = resilient([anthropic('…'), openai('…')])",
  ],
  'ai-fallback': [
    "import { createFallback } from 'ai-fallback'",
    "const model = createFallback({ models: [anthropic('…'), openai('…')] })",
  ],
  'ai-retry': [
    "import { createRetryableModel } from 'ai-retry/language-model'",
    "const model = createRetryableModel({ model: anthropic('…'), retries: [openai('…')] })",
  ],
  '`resilientModel`': [
    "import { resilientModel } from '@mulligan/core/langchain'",
    'const model = resilientModel([new ChatAnthropic(…), new ChatOpenAI(…)])',
  ],
  '`withFallbacks`': ['const model = new ChatAnthropic(…).withFallbacks([new ChatOpenAI(…)])'],
}

/** Lines and characters of each. */
export function linesInWords(): string {
  return Object.entries(LINES)
    .map(([name, lines]) => `${name} ${lines.length} (${lines.join('').length})`)
    .join(', ')
}
