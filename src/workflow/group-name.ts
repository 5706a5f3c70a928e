/** Prefix of the workflow names of groups. */
const PREFIX = 'group:'

/** The workflow name of a group's runs. */
export function workflowOfGroup(group: string): string {
  return `${PREFIX}${group}`
}

/** The group with this workflow name; undefined if it is not a group. */
export function groupOfWorkflow(workflow: string): string | undefined {
  return workflow.startsWith(PREFIX) ? workflow.slice(PREFIX.length) : undefined
}

/** What people call it: `the workflow release`, `the group reviews`. */
export function workflowInWords(workflow: string): string {
  const group = groupOfWorkflow(workflow)
  return group === undefined ? `the workflow ${workflow}` : `the group ${group}`
}
