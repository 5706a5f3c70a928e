import type { Fields } from './read.ts'

export type ReadFields = (value: object) => Fields

/**
 * What a returned value says about itself, by shape alone: `failed` with the part that says so, `fine`, or `silent` if it
 * says neither.
 */
export type ValueMeaning = { says: 'failed'; content: unknown } | { says: 'fine' } | { says: 'silent' }

export const FINE: ValueMeaning = { says: 'fine' }
export const SILENT: ValueMeaning = { says: 'silent' }
export const failed = (content: unknown): ValueMeaning => ({ says: 'failed', content })

/** One way in which values report their outcome. */
export type ValueTest = (value: object, fields: Fields, read: ReadFields) => ValueMeaning
