export { type ResilientFetchOptions, resilientFetch } from './resilient-fetch.ts'
