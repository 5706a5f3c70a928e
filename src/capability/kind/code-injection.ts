import { basename } from 'node:path'
import { paramsIn, type Template } from '../template.ts'

/** How a program takes code from its command line. */
interface Interpreter {
  /** The option that precedes code; undefined if the first word that is not an option is code. */
  flag?: RegExp
  /** `next`: the word after the option is code, followed by its arguments. `all`: everything after it is joined. */
  code: 'next' | 'all'
  /** Options whose next word is their value, not a code file. */
  valued?: RegExp
  /** True if the option counts anywhere; otherwise only before the first word that is not an option, which is a code file. */
  anywhere?: true
  /** True if it takes code from stdin when there is no file. */
  byStdin?: true
}

const shell: Interpreter = {
  flag: /^-[a-z]*c[a-z]*$|^--command(?:=|$)/,
  code: 'next',
  valued: /^[-+][a-z]*[oO]$|^--(?:rcfile|init-file)$/,
  byStdin: true,
}
const evaluates = (flag: RegExp, valued?: RegExp): Interpreter => ({
  flag,
  code: 'next',
  ...(valued ? { valued } : {}),
  byStdin: true,
})
const javascript = evaluates(
  /^-[a-z]*[ep][a-z]*$|^--(?:eval|print)(?:=|$)/,
  /^-(?:r|C)$|^--(?:require|import|loader|experimental-loader|conditions|env-file|input-type|preload)$/,
)
const script: Interpreter = { code: 'next', valued: /^-[vF]$|^--(?:assign|field-separator)$/ }

const INTERPRETERS: Readonly<Record<string, Interpreter>> = {
  ...Object.fromEntries(
    ['sh', 'bash', 'zsh', 'dash', 'ksh', 'ash', 'fish', 'csh', 'tcsh', 'rbash', 'mksh', 'nu'].map(name => [
      name,
      shell,
    ]),
  ),
  cmd: { flag: /^\/[ck]/i, code: 'all', anywhere: true, byStdin: true },
  powershell: { flag: /^[-/](?:c|e|ec)[a-z]*$/i, code: 'all', anywhere: true, byStdin: true },
  pwsh: { flag: /^[-/](?:c|e|ec)[a-z]*$/i, code: 'all', anywhere: true, byStdin: true },
  node: javascript,
  nodejs: javascript,
  bun: javascript,
  tsx: javascript,
  deno: evaluates(/^eval$/),
  python: evaluates(/^-[A-Za-z]*c/, /^-[WX]$/),
  pypy: evaluates(/^-[A-Za-z]*c/, /^-[WX]$/),
  perl: evaluates(/^-[A-Za-z\d]*[eE]/, /^-I$/),
  ruby: evaluates(/^-[A-Za-z\d]*e/, /^-[rIE]$/),
  php: evaluates(/^-[rBRE]|^--(?:run|process-)/, /^-[dcz]$/),
  lua: evaluates(/^-e/, /^-l$/),
  osascript: evaluates(/^-e/, /^-l$/),
  su: { flag: /^-c|^--command(?:=|$)/, code: 'next', anywhere: true },
  script: { flag: /^-[a-z]*c|^--command(?:=|$)/, code: 'next', anywhere: true },
  env: { flag: /^-[a-z]*S|^--split-string(?:=|$)/, code: 'next' },
  awk: script,
  gawk: script,
  mawk: script,
  sed: script,
  eval: { code: 'all' },
  watch: { code: 'all' },
  // The words after the host are joined for the remote shell.
  ssh: { code: 'all' },
}

/**
 * A parameter that would be read as code: in a text that a shell or another interpreter runs, on the command line or on stdin,
 * also after `env`, `sudo` and the like. Returns the problem; undefined if there is none.
 */
export function problemOfCode(argv: readonly Template[], stdin: Template | undefined): string | undefined {
  for (const [at, { source }] of argv.entries()) {
    const name = programName(source)
    const interpreter = Object.hasOwn(INTERPRETERS, name) ? INTERPRETERS[name] : undefined
    if (!interpreter) continue
    const behind = argv.slice(at + 1)
    const inCode = codeIn(interpreter, behind).flatMap(paramsIn)[0]
    if (inCode !== undefined) return readAsCode(inCode, name)
    const byStdin = interpreter.byStdin && behind.every(({ source: word }) => /^-/.test(word))
    const inStdin = byStdin && stdin ? paramsIn(stdin)[0] : undefined
    if (inStdin !== undefined) return readAsCode(inStdin, name)
  }
  return undefined
}

function codeIn(interpreter: Interpreter, words: readonly Template[]): readonly Template[] {
  const { flag, code, anywhere, valued } = interpreter
  if (!flag) return code === 'all' ? words : upToFirst(words, valued)
  const at = words.findIndex(({ source }) => flag.test(source))
  const file = fileAt(words, valued)
  if (at < 0 || (!anywhere && file >= 0 && file < at)) return []
  if (code === 'all') return words.slice(at)
  // Code may also be in the same word as its option, and options may come between the two.
  return [...words.slice(at, at + 1), ...upToFirst(words.slice(at + 1), undefined)]
}

/** Up to and including the first word that is not an option, without the values of options. */
function upToFirst(words: readonly Template[], valued: RegExp | undefined): readonly Template[] {
  const at = fileAt(words, valued)
  const upTo = words.slice(0, at < 0 ? words.length : at + 1)
  return upTo.filter((_word, index) => !valued?.test(upTo[index - 1]?.source ?? ''))
}

/** The index of the first word that is neither an option nor an option's value; -1 if there is none. */
function fileAt(words: readonly Template[], valued: RegExp | undefined): number {
  return words.findIndex(
    ({ source }, index) => !/^[-+]/.test(source) && !valued?.test(words[index - 1]?.source ?? ''),
  )
}

function programName(word: string): string {
  return basename(word.replaceAll('\\', '/'))
    .toLowerCase()
    .replace(/\.exe$/, '')
    .replace(/^(python|pypy|perl|ruby|php|lua)[\d.]+$/, '$1')
}

function readAsCode(param: string, program: string): string {
  return `{${param}} is part of what ${program} would run as code; pass it as a separate argument, as in ["sh", "-c", "echo \\"$1\\"", "sh", "{${param}}"], or by env`
}

/** Variables that make a program load or run something else. */
const LOADS =
  /^(?:LD_\w+|DYLD_\w+|PATH|IFS|ENV|BASH_ENV|SHELLOPTS|PROMPT_COMMAND|NODE_OPTIONS|NODE_PATH|PYTHON(?:PATH|STARTUP|HOME)|PERL5(?:LIB|OPT)|RUBY(?:OPT|LIB)|GIT_(?:SSH|SSH_COMMAND|EXEC_PATH|EXTERNAL_DIFF|EDITOR|PAGER|CONFIG\w*)|EDITOR|VISUAL|PAGER)$/i

/** A parameter in a variable that decides which code runs; undefined if there is none. */
export function problemOfVariables(env: readonly (readonly [string, Template])[]): string | undefined {
  const found = env.find(([name, template]) => LOADS.test(name) && paramsIn(template).length > 0)
  return found && `{${paramsIn(found[1])[0]}} is used in ${found[0]}, which decides what code a program runs`
}
