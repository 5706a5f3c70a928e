import { COMMAND_NAMES, COMMANDS, GROUPS } from '../commands.ts'
import { parseArguments, UsageError } from '../flag/arguments.ts'
import { onlyArgument } from '../flag/subcommand.ts'
import type { Terminal } from '../terminal.ts'

export const usage = `Usage: mulligan completions bash|zsh|fish

Prints a script that completes commands, subcommands and options. To install it:

  bash              mulligan completions bash > ~/.local/share/bash-completion/completions/mulligan
  zsh               mulligan completions zsh > "\${fpath[1]}/_mulligan"
  fish              mulligan completions fish > ~/.config/fish/completions/mulligan.fish

Exit codes: 0 done, 2 wrong usage.`

/** What can follow a command. */
interface Words {
  name: string
  summary: string
  subcommands: readonly string[]
  flags: readonly string[]
}

const SHELLS: Readonly<Record<string, (commands: readonly Words[]) => string>> = { bash, zsh, fish }

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { positionals } = parseArguments(argv, { usage, options: {} })
  const shell = onlyArgument('completions', 'a shell: bash, zsh or fish', positionals)
  const script = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined
  if (!script) throw new UsageError(`unknown shell ${JSON.stringify(shell)}; one of: bash, zsh, fish`)
  terminal.stdout(script(await Promise.all(COMMAND_NAMES.map(wordsOf))))
  return 0
}

/** Reads the words from the command's own help, so that there is no second list. */
async function wordsOf(name: string): Promise<Words> {
  const command = await (COMMANDS[name] as (typeof COMMANDS)[string])()
  const help = `${command.usage}\n${(await command.usageOf?.([])) ?? ''}`
  const summary = Object.values(GROUPS).find(group => Object.hasOwn(group, name))?.[name]?.summary ?? ''
  const flags = [...help.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([flag]) => flag)
  return { name, summary, subcommands: subcommandsIn(name, help), flags: [...new Set([...flags, '--help'])] }
}

/** Commands that share a page of help with others. */
const ON_ONE_PAGE = ['classify', 'explain', 'decide']

/** `a|b` and `a [FILE] | b` after the command's name, and further lines such as `mulligan NAME a`. */
function subcommandsIn(name: string, help: string): string[] {
  if (ON_ONE_PAGE.includes(name)) return []
  const lines = [...help.matchAll(new RegExp(`^\\W*(?:Usage: )?mulligan ${name} (.*)$`, 'gm'))]
  const words = lines.flatMap(([, rest = ''], index) => {
    const joined = /^\[?([a-z-]+(?:\|[a-z-]+)+)/.exec(rest)?.[1]?.split('|')
    const apart = rest.split(' | ').map(choice => /^ *([a-z]+)/.exec(choice)?.[1])
    return joined ?? (apart.length > 1 || index > 0 ? apart : [])
  })
  return [...new Set(words.filter(word => word !== undefined))]
}

function bash(commands: readonly Words[]): string {
  const cases = commands.map(
    ({ name, subcommands, flags }) =>
      `    ${name}) subcommands="${subcommands.join(' ')}" flags="${flags.join(' ')}" ;;`,
  )
  return `# bash completion for mulligan
_mulligan() {
  local word="\${COMP_WORDS[COMP_CWORD]}" subcommands="" flags=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(' ')} --help --version" -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
  if [ "\${word#-}" != "$word" ]; then
    COMPREPLY=($(compgen -W "$flags" -- "$word"))
  elif [ "$COMP_CWORD" -eq 2 ] && [ -n "$subcommands" ]; then
    COMPREPLY=($(compgen -W "$subcommands" -- "$word"))
  else
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}
complete -o filenames -F _mulligan mulligan
`
}

function zsh(commands: readonly Words[]): string {
  const names = commands.map(({ name, summary }) => `    '${name}:${quoted(summary)}'`)
  const cases = commands.map(
    ({ name, subcommands, flags }) =>
      `    ${name}) subcommands=(${subcommands.join(' ')}); flags=(${flags.join(' ')}) ;;`,
  )
  return `#compdef mulligan
_mulligan() {
  local -a commands subcommands flags
  commands=(
${names.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case "$words[2]" in
${cases.join('\n')}
  esac
  if [[ "$PREFIX" == -* ]]; then
    compadd -- $flags
  elif (( CURRENT == 3 && $#subcommands )); then
    compadd -- $subcommands
  else
    _files
  fi
}
# A file in fpath is the function itself; one that is sourced registers it.
if [[ "$funcstack[1]" == _mulligan ]]; then
  _mulligan "$@"
else
  compdef _mulligan mulligan
fi
`
}

function fish(commands: readonly Words[]): string {
  const lines = commands.flatMap(({ name, summary, subcommands, flags }) => [
    `complete -c mulligan -n __fish_use_subcommand -f -a ${name} -d '${quoted(summary)}'`,
    ...(subcommands.length > 0
      ? [
          `complete -c mulligan -n '__fish_seen_subcommand_from ${name}; and test (count (commandline -opc)) -eq 2' -f -a '${subcommands.join(' ')}'`,
        ]
      : []),
    ...flags.map(flag => `complete -c mulligan -n '__fish_seen_subcommand_from ${name}' -l ${flag.slice(2)}`),
  ])
  return `# fish completion for mulligan\n${lines.join('\n')}\n`
}

/** Text within single quotes. */
function quoted(text: string): string {
  return text.replaceAll("'", "'\\''").replaceAll(':', '\\:')
}
