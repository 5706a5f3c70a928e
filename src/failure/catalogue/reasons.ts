import { CATALOGUE } from './index.ts'

/**
 * Why each rule of the catalogue exists, by its id. Apart from the compiled catalogue, because only `mulligan explain`
 * asks, and the sentences would be a tenth of every bundle; the build puts them in the place of this module.
 */
export function catalogueReasons(): Record<string, string> {
  return Object.fromEntries(CATALOGUE.map(({ id, why }) => [id, why]))
}
