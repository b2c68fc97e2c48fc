export { createEventLoopLag } from './event-loop-lag.ts'
export {
  type CheckResult,
  createHealth,
  type Health,
  healthy,
  unhealthy,
} from './health.ts'
export { createPatientRefresh } from './patient-refresh.ts'
export { createProgressTracker, type ProgressTracker } from './progress.ts'
export { createStoreWatch, type StoreWatch } from './store-watch.ts'
