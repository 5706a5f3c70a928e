export * from './failure/index.ts'
