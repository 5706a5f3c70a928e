import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const pages = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'].map(file => join(root, file)),
  ...['docs', 'examples'].flatMap(folder =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter(file => file.endsWith('.md') && !file.includes('node_modules'))
      .map(file => join(root, folder, file)),
  ),
]

/** Text without its code, in which brackets mean something else. */
const prose = (text: string) => text.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, 'code')

/** The place in its page that a heading has at GitHub. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-')

function anchorsIn(file: string): string[] {
  const text = readFileSync(file, 'utf8')
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading))
  return [...headings, ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)]
}

function brokenIn(file: string): string[] {
  const links = [...prose(readFileSync(file, 'utf8')).matchAll(/\]\(([^)\s]+)\)/g)].map(
    ([, link = '']) => link,
  )
  return links.filter(link => {
    if (/^[a-z]+:/.test(link)) return false
    const [path = '', anchor] = link.split('#')
    const target = path === '' ? file : join(dirname(file), path)
    return !existsSync(target) || (anchor !== undefined && !anchorsIn(target).includes(anchor))
  })
}

describe('every link of the documentation leads somewhere, to a heading if it names one:', () => {
  it.each(pages.map(page => [relative(root, page), page]))('%s', (_name, page) => {
    expect(brokenIn(page)).toEqual([])
  })

  it('and every guide can be reached from the README', () => {
    const reached = new Set<string>()
    const visit = (file: string) => {
      if (reached.has(file) || !file.endsWith('.md') || !existsSync(file)) return
      reached.add(file)
      for (const [, link = ''] of readFileSync(file, 'utf8').matchAll(/\]\(([^)#\s:]+)(?:#[^)]*)?\)/g))
        visit(join(dirname(file), link))
    }
    visit(join(root, 'README.md'))
    const guides = pages.filter(page => page.startsWith(join(root, 'docs')))
    expect(guides.filter(page => !reached.has(page)).map(page => relative(root, page))).toEqual([])
  })
})
