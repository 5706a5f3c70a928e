import { COMMANDS, GROUPS } from '../src/cli/commands.ts'

/** docs/reference/commands.md: what `--help` prints for each command. */
export async function commandsDocument(): Promise<string> {
  const groups = await Promise.all(
    Object.entries(GROUPS).map(async ([group, commands]) => {
      const helps = new Map<string, string[]>()
      // Commands that share a page of help are listed above it.
      for (const name of Object.keys(commands)) {
        const help = await helpOf(name)
        helps.set(help, [...(helps.get(help) ?? []), name])
      }
      const parts = [...helps].map(([help, names]) => `### ${names.join(', ')}\n\n\`\`\`\n${help}\n\`\`\``)
      return `## ${group}\n\n${parts.join('\n\n')}`
    }),
  )
  return `# Commands

What \`mulligan COMMAND --help\` prints. \`mulligan completions bash\` (or zsh, fish) completes commands and options.

${groups.join('\n\n')}
`
}

async function helpOf(name: string): Promise<string> {
  const command = await (COMMANDS[name] as (typeof COMMANDS)[string])()
  return (await command.usageOf?.([])) ?? command.usage
}
