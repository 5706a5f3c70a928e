/** Inputs that the examples of vendor rules are made of. */

/** An HTTP answer as clients hand it over. */
export const answer = (status: number, body: unknown = '') => ({ status, headers: {}, body })

/** The envelope of OpenAI and of everybody who copied it. */
export const refused = (status: number, error: Record<string, unknown>) =>
  answer(status, { error: { message: 'See the documentation.', ...error } })

/** An error as a client library throws it. */
export const thrown = (name: string, message = 'See the documentation.', extra: object = {}) =>
  Object.assign(new Error(message), { name, ...extra })
