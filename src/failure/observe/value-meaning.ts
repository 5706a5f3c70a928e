import type { Fields } from './read.ts'

export type ReadFields = (value: object) => Fields

/**
 * What a returned value says about itself, by shape alone: `failed` with the part that says so, `fine`, or `silent` if it
 * says neither.
 */
export type ValueMeaning =
  | {
      says: 'failed'
      content: unknown
      /** Who reports it, if not the value itself: a tool, or a model whose answer is a notice. */
      by?: 'tool' | 'model' | undefined
    }
  | { says: 'fine' }
  | { says: 'silent' }

export const FINE: ValueMeaning = { says: 'fine' }
export const SILENT: ValueMeaning = { says: 'silent' }
export const failed = (content: unknown, by?: 'tool' | 'model'): ValueMeaning => ({
  says: 'failed',
  content,
  by,
})

/** One way in which values report their outcome. */
export type ValueTest = (value: object, fields: Fields, read: ReadFields) => ValueMeaning
