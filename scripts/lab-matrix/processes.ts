import { readdirSync, readFileSync } from 'node:fs'

/** Ids of the processes with this variable in their environment; empty without /proc. */
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

/** The environment of a process; empty for another user's process or one that has just ended. */
function environmentOf(id: string): string[] {
  try {
    return readFileSync(`/proc/${id}/environ`, 'utf8').split('\0')
  } catch {
    return []
  }
}
