export type { Endpoint } from './endpoint.ts'
export { type ResilientFetchOptions, resilientFetch } from './resilient-fetch.ts'
