export { queryMetrics } from './run.ts'
