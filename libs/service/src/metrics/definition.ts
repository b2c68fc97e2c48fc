// The metric catalog of a service as data. Three things are derived from this catalog: the documentation, the dashboards, and the code that
// records the metrics.

/** Label values that are not known in advance, such as topics, partitions or error codes of a server. Their number is limited. */
export const anyValue = 'any value'

export type LabelDomain = readonly string[] | typeof anyValue

export type LabelDefinitions = Readonly<Record<string, LabelDomain>>

interface Definition {
  /**
   * A Prometheus name that ends with a base unit, if the metric has a unit. In the name of a counter, `_total` follows the unit. The names
   * of svc's own metrics start with `svc_`.
   */
  readonly name: string
  readonly help: string
  readonly labels?: LabelDefinitions
}

interface CounterDefinition extends Definition {
  readonly type: 'counter'
}

interface GaugeDefinition extends Definition {
  readonly type: 'gauge'
}

interface HistogramDefinition extends Definition {
  readonly type: 'histogram'
  /** Upper bounds of the buckets, ascending, in the unit of the metric's name. */
  readonly buckets: readonly number[]
}

export type MetricDefinition = CounterDefinition | GaugeDefinition | HistogramDefinition
export type MetricCatalog = Readonly<Record<string, MetricDefinition>>

/** Preserves the literal types. */
export const defineMetrics = <const C extends MetricCatalog>(catalog: C): C => catalog

/** Buckets from 5 ms to 10 s, as OpenTelemetry recommends for requests. */
export const durationBuckets = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10] as const

/** Buckets from 0.5 s to 30 min. For staged spans, an age of 3 minutes is normal, because a window has this length by default. */
export const ageBuckets = [0.5, 1, 2, 5, 10, 30, 60, 120, 180, 240, 300, 600, 900, 1800] as const

/** 1 KiB to 256 MiB. */
export const sizeBuckets = [1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864, 268435456] as const

/** Checks rules that prom-client checks late or never. Throws at the start, because an invalid catalog is a bug. */
export const checkDefinition = (metric: MetricDefinition): void => {
  const fail = (what: string): never => {
    throw new Error(`Metric ${metric.name}: ${what}`)
  }
  if (!/^[a-z_][a-z0-9_]*$/.test(metric.name)) fail('a name can contain only lower-case letters, digits and underscores')
  if (metric.help.trim() === '') fail('help is empty')
  if (metric.type === 'counter' && !metric.name.endsWith('_total')) fail('the name of a counter must end in _total')
  if (metric.type !== 'counter' && metric.name.endsWith('_total')) fail('only the name of a counter can end in _total')
  if (/_(?:ms|millis|milliseconds|kb|mb|kib|mib)(?:_|$)/.test(metric.name)) fail('use base units: _seconds, _bytes')
  for (const [label, domain] of Object.entries(metric.labels ?? {})) {
    if (!/^[a-z_][a-z0-9_]*$/.test(label)) fail(`label ${label}: lower-case letters, digits and underscores`)
    if (domain !== anyValue && domain.length === 0) fail(`label ${label} has no value`)
  }
  if (metric.type === 'histogram' && !metric.buckets.every((bound, i) => i === 0 || bound > metric.buckets[i - 1]!)) {
    fail('buckets ascend')
  }
}
