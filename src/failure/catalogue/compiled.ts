import { compileCatalogue } from './compile.ts'
import type { CompiledCatalogue } from './compiled-form.ts'
import { CATALOGUE } from './index.ts'

/**
 * The catalogue, ready for the matcher. From the sources it is compiled when the first failure comes; the build puts
 * a module in the place of this one that holds it compiled (scripts/compiled-catalogue.ts).
 */
export function compiledCatalogue(): CompiledCatalogue {
  return compileCatalogue(CATALOGUE)
}
