/** Failures of model APIs, as SDKs throw them. */
export const OVERLOADED = Object.assign(new Error('Overloaded'), { status: 529 })
export const REFUSED = Object.assign(new Error('prompt is missing'), { status: 400 })
export const LOGIN = Object.assign(new Error('invalid x-api-key'), { status: 401 })
export const TIMEOUT = Object.assign(new Error('the request timed out'), { code: 'ETIMEDOUT' })
export const LIMITED = Object.assign(new Error('slow down'), {
  status: 429,
  headers: { 'retry-after': '7200' },
})

export function throwing(error: unknown): () => never {
  return () => {
    throw error
  }
}
