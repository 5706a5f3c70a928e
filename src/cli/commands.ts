import type { Command } from './command.ts'

/** A command in the list of commands. */
export interface ListedCommand {
  summary: string
  /** Loads it only when it is called, to start fast. */
  load: () => Promise<Command>
}

/** The commands that help shows, by group, in its order. */
export const GROUPS: Readonly<Record<string, Readonly<Record<string, ListedCommand>>>> = {
  run: {
    run: { summary: 'run an agent CLI with retries and failover', load: () => import('./run/run.ts') },
    exec: { summary: 'run any program with retries', load: () => import('./run/exec.ts') },
    council: { summary: 'ask several agents the same question', load: () => import('./run/council.ts') },
  },
  queue: {
    submit: { summary: 'submit an operation to the durable queue', load: () => import('./queue/submit.ts') },
    ops: {
      summary: 'list, inspect, retry, cancel and edit operations',
      load: () => import('./queue/ops.ts'),
    },
    workflow: {
      summary: 'start, show, answer, retry and cancel workflow runs',
      load: () => import('./queue/workflow.ts'),
    },
    group: {
      summary: 'start, show and cancel agent runs that share limits',
      load: () => import('./queue/group.ts'),
    },
    schedule: { summary: 'list, run, pause and resume schedules', load: () => import('./queue/schedule.ts') },
    queue: { summary: 'pause or resume operations', load: () => import('./queue/queue.ts') },
    status: { summary: 'show the queue and the providers', load: () => import('./queue/status.ts') },
  },
  people: {
    audit: { summary: 'show who changed what', load: () => import('./people/audit.ts') },
    inbox: {
      summary: 'show the notices for a session or the workspace',
      load: () => import('./people/inbox.ts'),
    },
    notices: {
      summary: 'list and snooze notices, or test a surface',
      load: () => import('./people/notices.ts'),
    },
    unknowns: {
      summary: 'list, show, label and share unknown failures',
      load: () => import('./people/unknowns.ts'),
    },
  },
  operate: {
    init: {
      summary: 'write a mulligan.toml for what is here',
      load: () => import('./operate/init/init.ts'),
    },
    serve: { summary: 'run the daemon', load: () => import('./operate/serve.ts') },
    service: {
      summary: 'keep the daemon running, by systemd or launchd',
      load: () => import('./operate/service/service.ts'),
    },
    providers: {
      summary: 'show, pause, reset and probe providers',
      load: () => import('./operate/providers.ts'),
    },
    doctor: {
      summary: 'check that agents can run, and how to fix them',
      load: () => import('./operate/doctor.ts'),
    },
    config: { summary: 'check, show or trust mulligan.toml', load: () => import('./operate/config.ts') },
    http: {
      summary: "print the HTTP API's address, token or sign-in code",
      load: () => import('./operate/http.ts'),
    },
    mcp: {
      summary: 'give agents the queue as tools, or wrap MCP servers',
      load: () => import('./operate/mcp/mcp.ts'),
    },
    install: {
      summary: 'put Mulligan into an agent CLI: tools, hooks, a plugin',
      load: () => import('./operate/install/install.ts'),
    },
    hook: {
      summary: 'answer a hook of an agent CLI',
      load: () => import('./operate/hook/hook.ts'),
    },
    proxy: {
      summary: 'give every agent one base URL that retries and fails over',
      load: () => import('./operate/proxy.ts'),
    },
    ledger: {
      summary: 'check, compact, back up, restore, move or prune the ledger',
      load: () => import('./operate/ledger.ts'),
    },
  },
  develop: {
    classify: { summary: 'classify a failure', load: () => import('./develop/classify.ts') },
    explain: {
      summary: 'classify a failure and show the evidence',
      load: () => import('./develop/explain.ts'),
    },
    decide: {
      summary: 'decide what to do about a failure, and why',
      load: () => import('./develop/decide.ts'),
    },
    backtest: {
      summary: 'test signatures against known failures',
      load: () => import('./develop/backtest.ts'),
    },
    eval: { summary: 'measure the classifier on labelled failures', load: () => import('./develop/eval.ts') },
    lab: { summary: 'start a fake model API that fails on command', load: () => import('./develop/lab.ts') },
    demo: { summary: 'open the dashboard with sample work', load: () => import('./develop/demo.ts') },
    tour: { summary: 'run the classifier on sample failures', load: () => import('./develop/tour.ts') },
    completions: {
      summary: 'print completions for bash, zsh or fish',
      load: () => import('./develop/completions.ts'),
    },
  },
}

/** Commands that are also verbs of `ledger`, where help shows them. */
const ALSO_LEDGER: Readonly<Record<string, () => Promise<Command>>> = {
  backup: () => import('./operate/backup.ts'),
  restore: () => import('./operate/restore.ts'),
  migrate: () => import('./operate/migrate.ts'),
  prune: () => import('./operate/prune.ts'),
}

/** How to load each command. */
export const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  ...Object.fromEntries(
    Object.values(GROUPS).flatMap(group => Object.entries(group).map(([name, { load }]) => [name, load])),
  ),
  ...ALSO_LEDGER,
}

/** The names of all commands. */
export const COMMAND_NAMES: readonly string[] = Object.keys(COMMANDS)
