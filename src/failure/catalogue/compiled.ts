import { compileCatalogue } from './compile.ts'
import type { CompiledCatalogue } from './compiled-form.ts'
import { CATALOGUE } from './index.ts'

/**
 * The compiled catalogue. When run from source, it is compiled at the first failure. The build replaces this
 * module by one that contains the result (scripts/compiled-catalogue.ts).
 */
export function compiledCatalogue(): CompiledCatalogue {
  return compileCatalogue(CATALOGUE)
}
