/**
 * Programs that show what they were asked for: a file, a page, rows, a log. What they print at exit 0 is someone else's
 * text and may be an old error. When they fail themselves, they exit with another code.
 */
const SHOW_DATA = new Set(
  `cat bat tac less more head tail nl wc od xxd strings base64 tee sed awk gawk cut sort uniq tr column paste xargs
  grep egrep fgrep zgrep rg ag ack find fd ls tree stat file echo printf env printenv date man apropos history
  jq yq xq gron xmllint dasel miller mlr csvkit curl wget http https httpie xh lynx w3m
  sqlite3 sqlite psql mysql mariadb duckdb mongosh clickhouse-client bq
  git hg svn diff cmp journalctl dmesg logcat systemctl kubectl docker podman crictl stern
  bash sh zsh fish dash ksh pwsh powershell cmd shell terminal ssh`.split(/\s+/),
)

/** Words that may precede the program in a command line. */
const BEFORE = /^(?:\w+=\S*|sudo|time|nice|nohup|command|exec|env|-\w+)$/

/**
 * True if a process is known, by its provider's name or its command line, to show what it was asked for.
 *
 * @param command the command line, as recorded by the library that ran it
 */
export function showsData(provider: string | undefined, command: unknown): boolean {
  if (provider !== undefined && SHOW_DATA.has(nameOf(provider))) return true
  if (typeof command !== 'string') return false
  // In a pipe or a list of commands, the last one wrote the end of the output.
  const last = command
    .slice(0, 4_096)
    .split(/\|\|?|&&|;/)
    .at(-1) as string
  const program = last
    .trim()
    .split(/\s+/)
    .find(word => !BEFORE.test(word))
  return program !== undefined && SHOW_DATA.has(nameOf(program))
}

function nameOf(path: string): string {
  const name = path.toLowerCase().split(/[/\\]/).at(-1) as string
  return name.replace(/\.exe$/, '')
}
