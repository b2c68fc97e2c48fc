export { createColumnStore } from './client.ts'
export type * from './port.ts'
export { catchUp } from './replicas.ts'
