import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCommand } from '../../../test/cli/terminal.ts'

/** Broken configs, and what the message about each must name. */
const BAD: Readonly<Record<string, readonly [toml: string, names: RegExp]>> = {
  'no TOML': ['[[provider', /mulligan\.toml:1/],
  'an unknown table': ['[polcy]\n', /polcy/],
  'an unknown key': ['[queue]\nlease_time = "1m"\n', /lease_time/],
  'a duration that is none': ['[queue]\nlease = "soon"\n', /lease/],
  'an unknown option in defaults': [
    '[[provider]]\nid = "claude"\ncli = "claude"\ndefaults = { effrt = "high" }\n',
    /provider "claude", defaults: option effrt/,
  ],
  'a wrong value in defaults': [
    '[[provider]]\nid = "a"\ncli = "claude"\ndefaults = { max_turns = -1 }\n',
    /defaults: option maxTurns/,
  ],
  'an option that the CLI of the provider does not have': [
    '[[provider]]\nid = "a"\ncli = "opencode"\npinned = { max_thinking_tokens = 100 }\n',
    /provider "a", pinned: option maxThinkingTokens: opencode/i,
  ],
  'a permission mode that the provider does not allow': [
    '[[provider]]\nid = "a"\ncli = "claude"\ndefaults = { permission_mode = "bypass_permissions" }\n',
    /allow_dangerous/,
  ],
  'a signature that does not compile': [
    '[[provider]]\nid = "a"\nerror_signatures = { throttle = ["("] }\n',
    /invalid pattern/,
  ],
  'a pool of unknown providers': ['[[pool]]\nid = "p"\nproviders = ["ghost"]\n', /ghost/],
  'an unknown option of an agent run': [
    '[[provider]]\nid = "claude"\ncli = "claude"\n[[capability]]\nname = "ask"\nprovider = "claude"\nagent = { prompt = "x", options = { budget = 3 } }\n',
    /capability "ask": option budget/,
  ],
  'a place for a parameter that is not declared': [
    '[[capability]]\nname = "echo"\nargv = ["echo", "{x}"]\nretry = "replay"\n',
    /\{x\}|"x"/,
  ],
  'two capabilities of one name': [
    '[[capability]]\nname = "a"\nargv = ["true"]\nretry = "replay"\n[[capability]]\nname = "a"\nargv = ["true"]\nretry = "replay"\n',
    /"a"/,
  ],
  'a module that is not there': ['[queue]\nmodules = ["./gone.ts"]\n', /gone\.ts/],
  'a schedule for an unknown capability': [
    '[[schedule]]\nname = "s"\ncapability = "ghost"\ncron = "0 3 * * *"\n',
    /ghost/,
  ],
  'a schedule whose parameters do not fit': [
    '[[capability]]\nname = "echo"\nargv = ["echo", "{x}"]\nretry = "replay"\nparams = { x = { type = "integer" } }\n[[schedule]]\nname = "s"\ncapability = "echo"\ncron = "0 3 * * *"\nparams = { x = "many" }\n',
    /schedule "s": params.x must be a whole number/,
  ],
  'a secret in a schedule': [
    '[[capability]]\nname = "echo"\nargv = ["true"]\nenv = { K = "{key}" }\nretry = "replay"\nparams = { key = { secret = true } }\n[[schedule]]\nname = "s"\ncapability = "echo"\ncron = "0 3 * * *"\nparams = { key = "hunter2" }\n',
    /params\.key is a secret/,
  ],
  'times that are none': [
    '[[schedule]]\nname = "s"\ncapability = "mulligan.run"\ncron = "61 * * * *"\n',
    /cron/,
  ],
  'a council of more than there are': [
    '[[council]]\nid = "c"\nquorum = 5\nmembers = [{ name = "a", command = "true" }, { name = "b", command = "true" }]\n',
    /quorum/,
  ],
}

const GOOD = `[[provider]]
id = "claude"
cli = "claude"
defaults = { model = "opus", max_turns = 3 }
[[capability]]
name = "echo"
argv = ["echo", "{x}"]
retry = "replay"
params = { x = { type = "integer" } }
[[schedule]]
name = "s"
capability = "echo"
cron = "0 3 * * *"
params = { x = 3 }
`

function folderWith(toml: string): { config: string; data: string; cwd: string } {
  const cwd = mkdtempSync(join(tmpdir(), 'mulligan-'))
  const config = join(cwd, 'mulligan.toml')
  writeFileSync(config, toml)
  return { config, data: join(cwd, 'state'), cwd }
}

interface Place {
  cwd: string
  env: Record<string, string>
}

/** Runs a daemon and stops it as soon as it is ready. */
function served(argv: readonly string[], place: Place) {
  const stop = new AbortController()
  return runCommand(['serve', ...argv], {
    ...place,
    signal: stop.signal,
    onStderr: text => {
      if (text.includes('"ready":true')) stop.abort()
    },
  })
}

/** Runs both commands on one file. */
async function both(toml: string) {
  const { config, data, cwd } = folderWith(toml)
  const options = { cwd, env: { HOME: cwd, PATH: process.env.PATH ?? '' } }
  return {
    check: await runCommand(['config', 'check', '--config', config], options),
    serve: await served(['--config', config, '--data', data], options),
  }
}

describe('config check and serve', () => {
  it.each(Object.keys(BAD))('both refuse %s, in the same words', async name => {
    const [toml, names] = BAD[name] as readonly [string, RegExp]
    const { check, serve } = await both(toml)
    expect(check.code).toBe(1)
    expect(check.stdout).toMatch(names)
    expect(serve.code).toBe(1)
    for (const line of check.stdout.trimEnd().split('\n').slice(0, -1)) expect(serve.stderr).toContain(line)
  })

  it('both accept a valid config', async () => {
    const { check, serve } = await both(GOOD)
    expect(check).toMatchObject({ code: 0 })
    expect(serve).toMatchObject({ code: 0 })
  })

  it('both refuse a mistake that shows only when a module has been loaded', async () => {
    const { config, data, cwd } = folderWith(
      '[queue]\nmodules = ["./work.mjs"]\n[[schedule]]\nname = "s"\ncapability = "ghost"\ncron = "0 3 * * *"\n',
    )
    writeFileSync(join(cwd, 'work.mjs'), 'export {}\n')
    const options = { cwd, env: { HOME: cwd, PATH: process.env.PATH ?? '' } }
    expect(await runCommand(['config', 'check', '--config', config], options)).toMatchObject({ code: 0 })
    const checked = await runCommand(['config', 'check', '--modules', '--config', config], options)
    expect(checked.code).toBe(1)
    expect(await served(['--config', config, '--data', data], options)).toMatchObject({ code: 1 })
  })
})
