import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AGENT_CLIS } from '../config/agent-clis.ts'
import { commandLine, OWN_OPTIONS } from './arguments.ts'
import { CLIS } from './clis.ts'
import { planLaunch } from './launch.ts'
import {
  type AgentOptions,
  mergeOptions,
  OPTION_NAMES,
  OPTION_RULES,
  OptionError,
  optionsFromJson,
} from './options.ts'
import type { AgentSettings } from './settings.ts'
import { isToolPattern } from './tool-pattern.ts'

/** A valid value for every option. */
const RIGHT: Required<AgentOptions> = {
  model: 'm',
  fallbackModel: 'f',
  workingDir: '/tmp',
  binary: '/bin/x',
  addDir: ['/a', '/b'],
  systemPrompt: 'S',
  appendSystemPrompt: 'A',
  systemPromptFile: '/s.md',
  appendSystemPromptFile: '/a.md',
  permissionPromptTool: 'mcp__p__ask',
  maxThinkingTokens: 1000,
  permissionMode: 'default',
  allowedTools: ['Read', 'Bash(git log *)'],
  disallowedTools: ['Write'],
  mcpConfig: ['/mcp.json'],
  agent: 'reviewer',
  effort: 'high',
  maxTurns: 3,
  maxBudgetUsd: 2,
  timeoutMs: 1000,
  jsonSchema: '{"type":"object"}',
  worktree: 'issue-1',
  hermetic: 'full',
  resume: 'r-1',
  sessionId: 's-1',
  forkSession: true,
  noSessionPersistence: true,
  meta: { issue: 1 },
}

const settings = (cli: AgentSettings['cli']): AgentSettings => ({ id: cli, cli, binary: '/bin/x' })
const line = (cli: AgentSettings['cli'], options: AgentOptions) =>
  commandLine(CLIS[cli], settings(cli), options, { prompt: 'p', resume: options.resume })

describe('every option', () => {
  it.each(OPTION_NAMES)('%s is taken by each CLI, or refused by name', name => {
    for (const cli of AGENT_CLIS) {
      const options = { [name]: RIGHT[name] } as AgentOptions
      const isKnown = CLIS[cli].takes[name] !== undefined || Object.hasOwn(OWN_OPTIONS, name)
      const isCounted = name === 'maxBudgetUsd' && CLIS[cli].tellsCost
      if (isKnown || isCounted) expect(() => line(cli, options)).not.toThrow()
      else expect(() => line(cli, options)).toThrow(new RegExp(`^option ${name}: ${cli} has no such option`))
    }
  })

  it.each<[keyof AgentOptions, unknown]>([
    ['model', ''],
    ['addDir', [1]],
    ['permissionMode', 'bypass_permissions'],
    ['effort', 'turbo'],
    ['maxTurns', 0],
    ['maxTurns', 1.5],
    ['maxBudgetUsd', -1],
    ['timeoutMs', '10m'],
    ['jsonSchema', '{'],
    ['worktree', 5],
    ['worktree', '../up'],
    ['hermetic', 'bare'],
    ['resume', 123],
    ['noSessionPersistence', 'yes'],
    ['meta', { big: 1n }],
  ])('%s refuses an invalid value, and does not quote it', (name, value) => {
    const check = () => mergeOptions(undefined, { [name]: value }, undefined)
    expect(check).toThrow(OptionError)
    expect(check).toThrow(`option ${name}: must be ${OPTION_RULES[name].right}`)
  })

  it.each(['model', 'prompt', 'max_turns', 'maxTurns'])('meta may not smuggle in %s, and says so', key => {
    const check = () => mergeOptions(undefined, { meta: { issue: 1, [key]: 'smuggled' } }, undefined)
    expect(check).toThrow(`option meta: its key "${key}" is the name of an option; choose another`)
  })

  it('that does not exist is refused', () => {
    expect(() => mergeOptions(undefined, { workingdir: '/typo' } as AgentOptions, undefined)).toThrow(
      'option workingdir',
    )
    expect(() => mergeOptions(undefined, { continue: true } as AgentOptions, undefined)).toThrow(
      'option continue',
    )
    expect(() => mergeOptions(undefined, { env: { KEY: 'x' } } as AgentOptions, undefined)).toThrow(
      'option env',
    )
  })

  it('has a name in JSON', () => {
    const json = { max_turns: 3, permission_mode: 'accept_edits', timeout: 500, add_dir: '/a' }
    expect(optionsFromJson(json)).toEqual({
      maxTurns: 3,
      permissionMode: 'acceptEdits',
      timeoutMs: 500,
      addDir: '/a',
    })
    expect(() => optionsFromJson({ maxTurns: 3 })).toThrow('option maxTurns: no such option')
  })
})

describe('what is pinned', () => {
  it('beats the request, which beats the defaults', () => {
    fc.assert(
      fc.property(
        fc.subarray([...OPTION_NAMES]),
        fc.subarray([...OPTION_NAMES]),
        fc.subarray([...OPTION_NAMES]),
        (defaults, request, pinned) => {
          // Values differ by layer if the type allows it.
          const layer = (names: string[], model: string) =>
            ({
              ...Object.fromEntries(names.map(name => [name, RIGHT[name as keyof AgentOptions]])),
              model,
            }) as AgentOptions
          const without = ({ model: _model, ...rest }: AgentOptions) => rest
          expect(mergeOptions(layer(defaults, 'd'), layer(request, 'r'), layer(pinned, 'p')).model).toBe('p')
          expect(
            mergeOptions(layer(defaults, 'd'), layer(request, 'r'), without(layer(pinned, ''))).model,
          ).toBe('r')
          const all = new Set([...defaults, ...request, ...pinned, 'model'])
          expect(
            new Set(Object.keys(mergeOptions(layer(defaults, 'd'), layer(request, 'r'), layer(pinned, 'p')))),
          ).toEqual(all)
        },
      ),
    )
  })

  it('cannot be overridden by a request', () => {
    const pinned = {
      ...settings('claude'),
      pinned: { permissionMode: 'plan' } as const,
      defaults: { effort: 'low' } as const,
    }
    const request = { prompt: 'x', options: { permissionMode: 'bypassPermissions', effort: 'high' } as const }
    expect(planLaunch(pinned, request, { env: {}, cwd: '/' })).toMatchObject({
      options: { permissionMode: 'plan', effort: 'high' },
    })
  })
})

describe('the command line', () => {
  it.each<[AgentSettings['cli'], AgentOptions, string]>([
    [
      'claude',
      { model: 'opus', addDir: ['/a', '/b'], maxTurns: 3, maxBudgetUsd: 2 },
      '-p --output-format stream-json --verbose --model opus --add-dir /a --add-dir /b --max-turns 3 --max-budget-usd 2',
    ],
    [
      'claude',
      { hermetic: true },
      '-p --output-format stream-json --verbose --setting-sources  --strict-mcp-config --exclude-dynamic-system-prompt-sections',
    ],
    [
      'claude',
      { hermetic: 'project', resume: 'r-1' },
      '-p --output-format stream-json --verbose --resume r-1 --setting-sources user --strict-mcp-config --exclude-dynamic-system-prompt-sections',
    ],
    [
      'codex',
      { permissionMode: 'plan', effort: 'high' },
      'exec --json -c sandbox_mode="read-only" -c model_reasoning_effort="high" -',
    ],
    ['codex', { resume: 'r-1', model: 'm' }, 'exec resume --json -m m r-1 -'],
    ['codex', { addDir: '/a' }, 'exec --json -c sandbox_workspace_write.writable_roots=["/a"] -'],
    [
      'opencode',
      { model: 'p/m', resume: 'ses_1', effort: 'high' },
      'run --format json --print-logs --log-level INFO --session ses_1 --model p/m --variant high',
    ],
    [
      'gemini',
      { permissionMode: 'acceptEdits', resume: 'r-1' },
      '--output-format stream-json --skip-trust --resume r-1 --approval-mode auto_edit',
    ],
    [
      'kimi',
      { permissionMode: 'plan', resume: 'r-1' },
      '--output-format stream-json --session r-1 --plan -p p',
    ],
    [
      'qwen',
      { permissionMode: 'auto', maxTurns: 4 },
      '--output-format stream-json --approval-mode auto --max-session-turns 4',
    ],
    ['command', { timeoutMs: 100, meta: { a: 1 } }, ''],
  ])('of %s is as its help says: %j', (cli, options, expected) => {
    expect(line(cli, options).argv.join(' ')).toBe(expected)
  })

  it('refuses values that a CLI lacks, and says which it has', () => {
    expect(() => line('codex', { permissionMode: 'auto' })).toThrow(
      'codex does not support "auto"; one of: default, plan',
    )
    expect(() => line('codex', { hermetic: 'project' })).toThrow('option hermetic: codex ignores either all')
  })

  it('omits what is switched off', () => {
    expect(line('claude', { forkSession: false, hermetic: false, worktree: false }).argv).toHaveLength(4)
  })

  it('does not repeat what a resumed session already has', () => {
    expect(line('claude', { sessionId: 'new', resume: 'r-1' }).argv).not.toContain('--session-id')
    expect(line('claude', { sessionId: 'new', resume: 'r-1', forkSession: true }).argv).toContain(
      '--session-id',
    )
    expect(line('kimi', { agent: 'reviewer', resume: 'r-1' }).argv).not.toContain('--agent')
  })

  it('enforces rails for the CLIs that do not', () => {
    expect(line('gemini', { maxTurns: 3 }).rails).toEqual({ maxTurns: 3 })
    expect(line('claude', { maxTurns: 3, maxBudgetUsd: 1 }).rails).toEqual({})
    expect(line('opencode', { maxBudgetUsd: 1 }).rails).toEqual({ maxBudgetUsd: 1 })
  })

  it('leaves retries to us in the used entry of codex', () => {
    const { argv } = commandLine(
      CLIS.codex,
      { ...settings('codex'), modelProvider: 'lab', selfRetries: 0 },
      {},
      { prompt: 'p', resume: undefined },
    )
    expect(argv.join(' ')).toBe(
      'exec --json -c model_provider="lab" -c model_providers.lab.request_max_retries=0 -c model_providers.lab.stream_max_retries=0 -',
    )
  })
})

describe('a tool pattern', () => {
  it.each([
    'Read',
    'Bash(git log *)',
    'mcp__server__tool',
    'mcp__server__*',
    '*',
    'Bash(echo (a))',
    'Edit(/src/**)',
  ])('is %s', pattern => {
    expect(isToolPattern(pattern)).toBe(true)
  })
  it.each(['', 'Bash(', 'Bash)', 'Bash(a))', 'Bash(a', 'two words', '--flag', 'Bash(a\nb)', 'a,b'])(
    'is not %j',
    pattern => {
      expect(isToolPattern(pattern)).toBe(false)
    },
  )
  it('never takes longer than its length', () => {
    fc.assert(fc.property(fc.string({ maxLength: 5_000 }), text => typeof isToolPattern(text) === 'boolean'))
  })
})
