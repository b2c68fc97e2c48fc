export { metricTable } from './catalogue-table.ts'
export {
  ageBuckets,
  anyValue,
  defineMetrics,
  durationBuckets,
  type MetricCatalogue,
  type MetricDefinition,
  sizeBuckets,
} from './definition.ts'
export type { CounterInstrument, GaugeInstrument, HistogramInstrument, Instrument, LabelValues } from './instruments.ts'
export { createMetricRegistry, createMetrics, type MetricRegistry, type MetricRegistryOptions, type Metrics } from './registry.ts'
