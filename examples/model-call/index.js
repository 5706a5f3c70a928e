// A model call within a budget: the first provider is out of money, so the second one answers.
import { call } from 'mulligan'

const ask = {
  anthropic: () =>
    Promise.reject(Object.assign(new Error('Your credit balance is too low'), { status: 400 })),
  openai: async () => 'Because of Rayleigh scattering.',
}

const { value, provider, attempts } = await call(({ provider }) => ask[provider](), {
  pool: ['anthropic', 'openai'],
  budgetMs: 60_000,
})
console.log(`${provider}: ${value}`)
for (const { provider, failure } of attempts) if (failure) console.log(`${provider}: ${failure.kind}`)
