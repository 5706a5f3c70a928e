import { Command } from '../part/standing.tsx'

const STEPS: readonly (readonly [string, string])[] = [
  ['See a demo with three failing providers; it leaves nothing behind when you stop it', 'mulligan demo'],
  ['Check which agents are installed and whether they can log in', 'mulligan doctor'],
  [
    'Ask an agent; if it cannot answer now, the question waits here and runs later',
    'mulligan run --queue -- "Say hello"',
  ],
]

/** First commands to run, for a new user. */
export function Welcome() {
  return (
    <section class="panel" aria-labelledby="welcome">
      <header>
        <h2 id="welcome">Nothing has run yet. How to start</h2>
      </header>
      <ol class="welcome">
        {STEPS.map(([words, command]) => (
          <li key={command}>
            <span>{words}</span>
            <Command text={command} />
          </li>
        ))}
      </ol>
    </section>
  )
}
