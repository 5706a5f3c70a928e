import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Files that run long although they are short, the longest first: their work is in conformance suites, documents or
 * child processes. By default small files start last, and then one process works alone at the end.
 */
const LONG = [
  'scripts/snippets.test.ts',
  'scripts/crash.test.ts',
  'src/engine/postgres/postgres-engine.test.ts',
  'src/ledger/postgres/postgres-ledger.test.ts',
  'src/ledger/sqlite/sqlite-ledger.test.ts',
  'src/engine/embedded/embedded-engine.test.ts',
  'src/cli/operate/serve.test.ts',
]

/** Starts long files first, so that all processes have work until the end. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const found = LONG.findIndex(name => moduleId.endsWith(`/${name}`))
      return found === -1 ? LONG.length : found
    }
    return (await super.sort(files)).sort((a, b) => place(a) - place(b))
  }
}
