export * from './call/index.ts'
export * from './failure/index.ts'
export * from './provider/index.ts'
export * from './verdict/index.ts'
