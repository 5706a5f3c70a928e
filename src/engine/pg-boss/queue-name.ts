import { createHash } from 'node:crypto'

/** Longest queue name that is used unchanged. */
const LONGEST_NAME = 100

/** A name that pg-boss accepts: other characters become their numbers, and a long name is cut and made unique. */
export function queueName(capability: string): string {
  const name = capability.replaceAll(/[^\w\-/]/gu, each => `.${each.codePointAt(0)?.toString(16)}.`)
  if (name.length <= LONGEST_NAME) return name
  const digest = createHash('sha256').update(capability).digest('hex').slice(0, 16)
  return `${name.slice(0, LONGEST_NAME - 18)}..${digest}`
}
