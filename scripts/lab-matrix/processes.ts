import { readdirSync, readFileSync } from 'node:fs'

/** Ids of the processes that carry a variable in their environment; none where /proc is not there. */
export function processesOf(variable: string, value: string): number[] {
  try {
    return readdirSync('/proc')
      .filter(name => /^\d+$/.test(name))
      .filter(id => environmentOf(id).includes(`${variable}=${value}`))
      .map(Number)
  } catch {
    return []
  }
}

/** Another user's process, or one that has just ended, has no environment for us. */
function environmentOf(id: string): string[] {
  try {
    return readFileSync(`/proc/${id}/environ`, 'utf8').split('\0')
  } catch {
    return []
  }
}
