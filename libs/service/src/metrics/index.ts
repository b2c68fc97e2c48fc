export { metricTable } from './catalog-table.ts'
export {
  ageBuckets,
  anyValue,
  defineMetrics,
  durationBuckets,
  sizeBuckets,
} from './definition.ts'
export type { GaugeInstrument } from './instruments.ts'
export { refusedUnreadMetric, unreadCause } from './refused-unread.ts'
export { createMetricRegistry, createMetrics, type MetricRegistry, type Metrics } from './registry.ts'
