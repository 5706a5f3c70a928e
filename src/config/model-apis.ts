/** The model APIs that `mulligan proxy` understands, each with the vendor's own address. */
export const MODEL_APIS = {
  anthropic: 'https://api.anthropic.com',
  openai: 'https://api.openai.com',
  gemini: 'https://generativelanguage.googleapis.com',
} as const

/** A model API that `mulligan proxy` understands. */
export type ModelApi = keyof typeof MODEL_APIS

export const MODEL_API_NAMES = Object.keys(MODEL_APIS) as ModelApi[]
