import { INSTALLABLE } from '../src/cli/operate/install/pieces.ts'

/** What `mulligan install` puts into each client, and what it cannot. */
export function installTable(): string {
  const rows = Object.entries(INSTALLABLE).map(
    ([name, { title, parts, lacks }]) => `| ${title} (\`${name}\`) | ${parts.join('; ')} | ${lacks} |`,
  )
  return ['| client | gets | has not |', '|---|---|---|', ...rows].join('\n')
}
