import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Files that run long although they are short, the longest first: their work is in conformance suites, documents, browsers
 * or child processes. By default small files start last, and then one process works alone at the end.
 */
const LONG = [
  'scripts/crash.test.ts',
  'web/test/dashboard.test.ts',
  'src/cli/operate/serve.test.ts',
  'scripts/snippets.test.ts',
  'src/gateway/mcp/wrap/behaviours.test.ts',
  'web/test/actions.test.ts',
  'scripts/examples.test.ts',
  'web/test/service.test.ts',
  'src/ledger/postgres/trouble.test.ts',
  'src/daemon/stop.test.ts',
  'src/cli/every-command.test.ts',
  'src/engine/postgres/postgres-engine.test.ts',
  'src/cli/operate/http.test.ts',
  'src/adapter/opencode/opencode.test.ts',
  'src/cli/operate/mcp/wrap.test.ts',
  'src/cli/night.test.ts',
  'src/queue/processes.test.ts',
  'src/queue/give-back.test.ts',
  'src/ledger/postgres/postgres-ledger.test.ts',
  'scripts/soak/soak.test.ts',
  'src/process/stragglers.test.ts',
  'src/agent/worktree-work.test.ts',
  'src/ledger/sqlite/held-lock.test.ts',
  'src/adapter/pages.test.ts',
  'web/test/night.test.ts',
  'src/gateway/mcp/wrap/http-link.test.ts',
  'src/engine/embedded/embedded-engine.test.ts',
  'src/testing/memory-ledger.test.ts',
  'src/cli/develop/demo.test.ts',
  'src/notice/notice-service.test.ts',
  'src/ledger/sqlite/sqlite-ledger.test.ts',
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
