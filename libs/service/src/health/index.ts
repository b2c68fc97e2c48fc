export { createEventLoopLag, type EventLoopLag } from './event-loop-lag.ts'
export {
  type CheckResult,
  createHealth,
  type Health,
  type HealthCheck,
  type HealthOptions,
  type HealthReport,
  healthy,
  type Probe,
  unhealthy,
} from './health.ts'
export { createPatientRefresh } from './patient-refresh.ts'
export { createProgressTracker, type ProgressOptions, type ProgressTracker } from './progress.ts'
export { createStoreWatch, type StoreWatch, type StoreWatchOptions } from './store-watch.ts'
