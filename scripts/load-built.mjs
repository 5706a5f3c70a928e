// Loads the modules that the build replaces as built, in a process that runs the sources: they are made once, not in each.
import { existsSync, readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

const sources = new URL('../', import.meta.url).href
const made = fileURLToPath(new URL('../.built/modules/', import.meta.url))

registerHooks({
  load(url, context, next) {
    const file = url.startsWith(`${sources}src/`) && made + url.slice(sources.length)
    if (!file || !existsSync(file)) return next(url, context)
    return { format: 'module', source: readFileSync(file, 'utf8'), shortCircuit: true }
  },
})
