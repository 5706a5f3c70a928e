/** What an agent should know of Mulligan, as a skill. */
export const SKILL = `---
name: mulligan
description: What to do when a tool, a model or a service says "rate limit", "overloaded", "try again later" or "queued for retry", and where results of queued work are.
---

# Mulligan

Mulligan decides what happens after a call fails, and makes it happen. Work that cannot succeed now is kept and run later.

- An answer with an \`operation_id\` is queued: it runs by itself. Do not call the tool again. Go on with other work.
- Look into the \`inbox\` tool before you finish: results of queued work and what needs you are there.
- \`operations\` with an id says what became of one piece of work; it waits for the end by default.
- "may have happened" means: check first whether it did, before you repeat it.
- A login or a payment is for a person: say so, and go on with other work.
`
