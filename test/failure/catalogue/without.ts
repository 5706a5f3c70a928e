import type { CompiledCatalogue } from '../../../src/failure/catalogue/compiled-form.ts'

/** A catalogue without one of its rules. Making its conditions impossible is faster than compiling the others again. */
export function without(compiled: CompiledCatalogue, rule: number): CompiledCatalogue {
  const own = new Set(compiled.conditions.flatMap((of, condition) => (of === rule ? [condition] : [])))
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
