export { type EmbeddedLog, type EmbeddedLogOptions, openEmbeddedLog } from './embedded/log.ts'
export { murmur2, partitionOfKey } from './partitioner.ts'
export type * from './port.ts'
