export type { ResilientOptions } from './language-model.ts'
export { type ResilientMiddlewareOptions, resilientMiddleware } from './middleware.ts'
export { type ResilientProviderOptions, resilientProvider } from './provider.ts'
export { resilient } from './resilient.ts'
