export { type ResilientMiddlewareOptions, resilientMiddleware } from './middleware.ts'
export { type ResilientProviderOptions, resilientProvider } from './provider.ts'
export { resilient } from './resilient.ts'
export type { ResilientOptions } from './resilient-options.ts'
