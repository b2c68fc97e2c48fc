export { createColumnStore } from './client.ts'
export { toColumnStoreError } from './errors.ts'
export type * from './port.ts'
export { catchUp } from './replicas.ts'
