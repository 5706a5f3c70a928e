import type { CompiledCatalogue } from '../../../src/failure/catalogue/compiled-form.ts'

/** A catalogue without one of its rules. Making its conditions impossible is faster than compiling the others again. */
export function without(compiled: CompiledCatalogue, rule: number): CompiledCatalogue {
  const first = compiled.conditions.slice(0, rule).reduce((sum, count) => sum + count, 0)
  const own = new Set(
    Array.from({ length: compiled.conditions[rule] as number }, (_, index) => first + index),
  )
  return {
    ...compiled,
    demands: [
      ...compiled.demands,
      ...Array.from(own, condition => [condition, { words: ['a word that no failure has'] }] as const),
    ],
    byStatus: compiled.byStatus
      .map(([status, conditions]) => [status, conditions.filter(condition => !own.has(condition))] as const)
      .filter(([, conditions]) => conditions.length > 0),
  }
}
