export { createEventsWriter, type WriterDeps } from './app.ts'
export { type CatalogueRefresh, type CatalogueRefreshOptions, createCatalogueRefresh } from './catalogue.ts'
export {
  type WriterConfig,
  type WriterEnvironment,
  writerConfig,
  writerEnvironment,
  writerProcessEnvironment,
  writerVariables,
} from './config.ts'
export { writerMetrics } from './metrics.ts'
