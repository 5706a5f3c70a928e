import { describe, expect, it } from 'vitest'
import { compileCatalogue } from '../src/failure/catalogue/compile.ts'
import { CATALOGUE } from '../src/failure/catalogue/index.ts'
import { catalogueReasons } from '../src/failure/catalogue/reasons.ts'
import { builtModules, compiledCatalogueModule, reasonsModule } from './built-modules.ts'

type Load = (id: string) => string | Promise<string> | undefined

describe('the modules that the build replaces', () => {
  it('contain the same catalogue that the sources compile', async () => {
    const built = (await import(
      `data:text/javascript,${encodeURIComponent(compiledCatalogueModule())}`
    )) as typeof import('../src/failure/catalogue/compiled.ts')
    expect(built.compiledCatalogue()).toEqual(compileCatalogue(CATALOGUE))
  })

  it('hold the reason of every rule, apart from the catalogue', async () => {
    const built = (await import(
      `data:text/javascript,${encodeURIComponent(reasonsModule())}`
    )) as typeof import('../src/failure/catalogue/reasons.ts')
    expect(built.catalogueReasons()).toEqual(catalogueReasons())
    expect(catalogueReasons()['money.balance_empty']).toContain('a person must pay')
    expect(compiledCatalogueModule()).not.toContain('a person must pay')
  })

  it('are these and no others', async () => {
    const { load } = builtModules() as { load: Load }
    expect(await load('/x/src/failure/catalogue/compiled.ts')).toBe(compiledCatalogueModule())
    expect(await load('/x/src/ledger/sqlite/thread-text.ts')).toMatch(/^export const THREAD_TEXT = "/)
    expect(await load('/x/src/ledger/sqlite/whole-schema.ts')).toMatch(
      /^export const WHOLE_SCHEMA = "CREATE /,
    )
    expect(load('/x/src/failure/catalogue/index.ts')).toBeUndefined()
  })

  it('are ASCII, and contain no examples', () => {
    expect(compiledCatalogueModule()).toMatch(/^[\x00-\x7f]*$/)
    expect(compiledCatalogueModule()).not.toContain('xample')
  })
})
