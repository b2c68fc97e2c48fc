export { createEventsWriter, type WriterDeps } from './app.ts'
export { type WriterConfig, type WriterEnvironment, writerConfig, writerEnvironment, writerVariables } from './config.ts'
export { writerMetrics } from './metrics.ts'
