import { existsSync, mkdtempSync, readFileSync, watch, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCommand } from '../../../test/cli/terminal.ts'

const folder = mkdtempSync(join(tmpdir(), 'mulligan-council-'))

/** A program with this code, as the value of --member. */
function member(name: string, code: string): string {
  const file = join(folder, `${name}.mjs`)
  writeFileSync(file, code)
  return `${name}="${process.execPath}" ${file}`
}

const answering = (name: string) =>
  member(name, `process.stdout.write('${name} heard: '); process.stdin.pipe(process.stdout)`)
const env = { PATH: process.env.PATH ?? '' }

function council(members: string[], ...rest: string[]) {
  return runCommand(['council', ...members.flatMap(value => ['--member', value]), ...rest], { env })
}

describe('mulligan council', () => {
  it('asks every member, and prints their answers', async () => {
    const broken = member(
      'broken',
      `console.error('Error: 401 Unauthorized: invalid x-api-key'); process.exit(1)`,
    )
    const { code, stdout, stderr } = await council(
      [answering('a'), broken, answering('b')],
      '--',
      'is',
      'this',
      'right?',
    )
    expect(code).toBe(0)
    expect(stdout).toContain('Responded:\n- a\n- b\n')
    expect(stdout).toMatch(/Failed or timed out:\n- broken: .*401/)
    expect(stdout).toContain('## Reviewer 2: b\n\nb heard: is this right?')
    expect(stderr).toContain('broken: permanent/auth')
  })

  it('passes the prompt as an argument if the command has {prompt}', async () => {
    const echo = member('echo', 'console.log(JSON.stringify(process.argv.slice(2)))')
    const { stdout } = await council([`${echo} --ask {prompt}`, answering('b')], '--', 'say "hi"; $HOME')
    expect(stdout).toContain('["--ask","say \\"hi\\"; $HOME"]')
  })

  it("prints only the aggregator's answer on stdout", async () => {
    const aggregator = member(
      'agg',
      `let t = ''; for await (const c of process.stdin) t += c
      console.log('sections: ' + t.split('## Reviewer').length)`,
    )
    const { code, stdout } = await council(
      [answering('a'), answering('b')],
      '--aggregator',
      aggregator.replace('agg=', ''),
      '--',
      'q',
    )
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'sections: 3\n' })
  })

  it('prints all answers if the aggregator fails, and says so', async () => {
    const bad = member('bad', 'process.exit(3)').replace('bad=', '')
    const { code, stdout, stderr } = await council(
      [answering('a'), answering('b')],
      '--aggregator',
      bad,
      '--',
      'q',
    )
    expect(code).toBe(1)
    expect(stdout).toContain('a heard: q')
    expect(stderr).toContain('the aggregator failed')
  })

  it('stops waiting at its quorum, and kills the process tree of a late member', async () => {
    const pidFile = join(folder, 'late.pid')
    const late = member(
      'late',
      `import { spawn } from 'node:child_process'
       import { writeFileSync } from 'node:fs'
       const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
       writeFileSync('${pidFile}', String(child.pid))
       setInterval(() => {}, 1000)`,
    )
    // The others answer only once the late member has its grandchild, so there is a tree to kill.
    const waiting = (name: string) =>
      member(
        name,
        `import { existsSync } from 'node:fs'
         while (!existsSync('${pidFile}')) await new Promise(resolve => setTimeout(resolve, 5))
         console.log('${name} answers')`,
      )
    const { code, stdout } = await council(
      [waiting('a'), waiting('b'), late],
      '--quorum',
      '2',
      '--json',
      '--',
      'q',
    )
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      successes: [
        { member: 'a', answer: 'a answers', attempts: 1 },
        { member: 'b', answer: 'b answers', attempts: 1 },
      ],
      aborted: [{ member: 'late', attempts: 1 }],
    })
    await gone(Number(readFileSync(pidFile, 'utf8')))
  })

  it('exits with 124 at its hard cap, and with 130 when interrupted', async () => {
    const hang = (name: string) => member(name, 'setInterval(() => {}, 1000)')
    const capped = await council([hang('a'), hang('b')], '--hard-cap', '300ms', '--', 'q')
    expect(capped.code).toBe(124)
    expect(capped.stderr).toContain('hardCapMs 300 is less than')
    const marked = join(folder, 'started')
    const started = member(
      'started',
      `import { writeFileSync } from 'node:fs'
      writeFileSync('${marked}', ''); setInterval(() => {}, 1000)`,
    )
    const controller = new AbortController()
    const running = runCommand(['council', '--member', started, '--member', hang('c'), '--', 'q'], {
      env,
      signal: controller.signal,
    })
    await appears(marked)
    controller.abort(new Error('stopped by SIGINT'))
    expect((await running).code).toBe(130)
  })

  it.each<[string[], string]>([
    [['--member', 'a=cat', '--', 'q'], 'at least 2 members: --member'],
    [['--member', 'a=cat', '--member', 'a=cat', '--', 'q'], 'two members are named "a"'],
    [['--member', 'cat', '--member', 'b=cat', '--', 'q'], '--member takes NAME=CMD'],
    [['--member', 'a=', '--member', 'b=cat', '--', 'q'], '--member a needs a command'],
    [['--member', "a=cat '", '--member', 'b=cat', '--', 'q'], "a ' is not closed"],
    [['--member', 'a=cat', '--member', 'b=cat'], 'no PROMPT'],
    [['--member', 'a=cat', '--member', 'b=cat', '--budget', '5', '--', 'q'], '--budget takes a duration'],
    [
      ['--member', 'a=cat', '--member', 'b=cat', '--budget', '0s', '--', 'q'],
      '--budget takes a duration above 0',
    ],
    [['--membr', 'a=cat', '--', 'q'], 'did you mean --member?'],
  ])('refuses %j by name', async (argv, message) => {
    const { code, stderr, stdout } = await runCommand(['council', ...argv], { env })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(message)
  })

  it('names a missing program, and prints the answers of the others', async () => {
    const { code, stdout, stderr } = await council([answering('a'), 'b=no-such-program-anywhere'], '--', 'q')
    expect(code).toBe(1)
    expect(stdout).toContain('## Reviewer 1: a')
    expect(stderr).toMatch(/answered: a; b failed \(permanent\): .*no-such-program-anywhere/)
  })
})

/** Waits until a process has ended. */
async function gone(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0)
    } catch {
      return
    }
    await new Promise(resolve => setTimeout(resolve, 5))
  }
}

async function appears(file: string): Promise<void> {
  const watcher = watch(folder)
  try {
    for (; !existsSync(file); ) await new Promise(resolve => watcher.once('change', resolve))
  } finally {
    watcher.close()
  }
}
