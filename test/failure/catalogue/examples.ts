/** Building blocks for examples of vendor rules. */

/** An HTTP answer as clients return it. */
export const answer = (status: number, body: unknown = '') => ({ status, headers: {}, body })

/** OpenAI's error envelope, which many copied. */
export const refused = (status: number, error: Record<string, unknown>) =>
  answer(status, { error: { message: 'See the documentation.', ...error } })

/** An error as a client library throws it. */
export const thrown = (name: string, message = 'See the documentation.', extra: object = {}) =>
  Object.assign(new Error(message), { name, ...extra })
