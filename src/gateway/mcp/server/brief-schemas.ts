import { z } from 'zod'
import { ALL_KINDS, type FailureKind } from '../../../failure/failure.ts'
import { nearest } from '../../../option/nearest.ts'
import { filterShape } from '../../http/operation-schemas.ts'
import { teaching } from '../../http/unknown-schemas.ts'

/** The kind of a failure; not as a list, which every agent would have to read with the tools. */
const kind = z
  .string()
  .refine((given): given is FailureKind => (ALL_KINDS as readonly string[]).includes(given), {
    error: ({ input }) => {
      const guess = nearest(String(input), ALL_KINDS)
      return `unknown kind${guess ? `; did you mean ${guess}?` : `; known: ${ALL_KINDS.join(', ')}`}`
    },
  })
  .optional()

/** Which operations, as in HTTP, in fewer words. */
export const briefFilterShape = {
  ...filterShape,
  kind: kind.describe('Whose last failure has this kind, such as rate_limit.'),
}

/** What a label says, as in HTTP, in fewer words; all of it optional. */
export const briefTeachingShape = {
  ...teaching.partial().shape,
  kind: kind.describe('For label: one that occurs under the class, such as rate_limit or quota.'),
}
