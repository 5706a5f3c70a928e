import type { Checked, Entry } from './check.ts'
import { checkAddress } from './check-surface.ts'
import type { Path } from './toml/position.ts'

/** An MCP server is a program or a URL, and each has its own keys. */
export function checkUpstream(checked: Checked, entry: Entry, path: Path): void {
  checked.oneOf(entry, path, ['argv', 'url'])
  for (const key of ['env', 'cwd'])
    if (entry[key] !== undefined && entry.argv === undefined)
      checked.mistake([...path, key], 'needs "argv": it is only for programs')
  if (entry.headers !== undefined && entry.url === undefined)
    checked.mistake([...path, 'headers'], 'needs "url": it is only for servers with a URL')
  checkAddress(checked, entry.url, [...path, 'url'])
  for (const key of ['name', 'prefix'])
    if (typeof entry[key] === 'string' && !/^[\w-]{1,40}$/.test(entry[key]))
      checked.mistake(
        [...path, key],
        `must be at most 40 letters, digits, "-" and "_", because tool names contain it, not ${JSON.stringify(entry[key])}`,
      )
  for (const [name, tool] of Object.entries(checked.table('tools', entry) ?? {}))
    checkTool(checked, tool as Entry, [...path, 'tools', name])
}

function checkTool(checked: Checked, tool: Entry, path: Path): void {
  if (typeof tool !== 'object' || tool === null) return
  if (tool.verify !== undefined && tool.retry !== 'verify_first')
    checked.mistake([...path, 'verify'], 'is used only with retry = "verify_first"')
  if (tool.verify === undefined && tool.retry === 'verify_first')
    checked.mistake([...path, 'retry'], 'needs a "verify" table')
}
