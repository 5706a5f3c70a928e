import { expect, it } from 'vitest'
import { loginIsRefused, providerName } from './provider-name.ts'

it('names no provider by the mark of a key', () => {
  expect(providerName('anthropic~1c4c39da')).toBe("anthropic (a caller's own key)")
  expect(loginIsRefused('anthropic~1c4c39da')).toBe("anthropic (a caller's own key) is refused")
  expect(providerName('house~model')).toBe('house~model')
  expect(loginIsRefused('claude')).toBe("claude's login is refused")
})
