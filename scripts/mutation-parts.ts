/** Code to mutate, and the tests that must notice. */
export interface MutationPart {
  name: string
  mutate: readonly string[]
  tests: readonly string[]
  /** Skip code that runs only while modules load, because each such mutant would need the whole test set. Default false. */
  ignoreStatic?: boolean
  /** Reload modules for each test file. Not needed for pure functions. Default true. */
  isolate?: boolean
}

const parts: readonly MutationPart[] = [
  {
    name: 'verdict',
    mutate: ['src/verdict/**/*.ts'],
    tests: ['src/verdict/**/*.test.ts'],
  },
  {
    name: 'failure',
    mutate: ['src/failure/{precedence,effect,match,classify,by-signature,crash,build}.ts'],
    ignoreStatic: true,
    isolate: false,
    tests: [
      'src/failure/{build,classifier,classify,effect,match,own-error,precedence,signature,terraphim}.test.ts',
      'src/failure/{label,origin,real-answers,work-buddy}.test.ts',
      'src/failure/observe/{finished-process,notice,process,quiet,sure-success}.test.ts',
    ],
  },
  {
    name: 'call',
    mutate: ['src/call/attempt/{after-failure,judge,bounds}.ts', 'src/call/gate-client.ts'],
    tests: ['src/call/attempt/*.test.ts', 'src/call/{call,call.robust,answered,resume,credential}.test.ts'],
  },
  {
    name: 'provider',
    mutate: ['src/provider/breaker.ts'],
    ignoreStatic: true,
    isolate: false,
    tests: ['src/provider/{breaker,breaker-cell}.test.ts'],
  },
  {
    name: 'wrap',
    mutate: ['src/gateway/mcp/wrap/deferral.ts'],
    tests: ['src/gateway/mcp/wrap/deferral.test.ts'],
  },
  {
    name: 'queue',
    mutate: ['src/queue/run/{judge,act,admission}.ts'],
    // Without the long simulations, which would slow down every mutant and notice hardly more.
    tests: ['src/queue/run/*.test.ts', 'src/queue/{run-now,hand-over,answered,no-loop,second-tries}.test.ts'],
  },
  {
    name: 'workflow',
    mutate: ['src/workflow/progress.ts'],
    isolate: false,
    tests: ['src/workflow/progress.test.ts'],
  },
  {
    name: 'notice',
    mutate: ['src/notice/wanted.ts'],
    isolate: false,
    tests: ['src/notice/{wanted,delivery-planner}.test.ts'],
  },
  {
    name: 'cron',
    mutate: ['src/queue/{cron,cron-plan,cron-schedule}.ts'],
    tests: ['src/queue/{cron,cron-from-config}.test.ts', 'src/queue/cron.property.test.ts'],
  },
  {
    // Records are the same on both databases, so the faster one is enough.
    name: 'ledger',
    mutate: [
      'src/ledger/record/*.ts',
      'src/ledger/row/run-end.ts',
      'src/engine/{maintenance,restart-waits}.ts',
    ],
    ignoreStatic: true,
    isolate: false,
    tests: [
      // Lists of a file are read in a thread, where no fault is switched on.
      'src/testing/memory-ledger.test.ts',
      'src/ledger/sqlite/sqlite-ledger.test.ts',
      'src/ledger/sqlite/provider-store.test.ts',
      'src/engine/embedded/embedded-engine.test.ts',
    ],
  },
]

/** The parts of the mutation run, by name. */
export const PARTS: Readonly<Record<string, MutationPart>> = Object.fromEntries(
  parts.map(part => [part.name, part]),
)
