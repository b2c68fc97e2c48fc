// Records metrics. The compiler checks names and label values, and the number of series is bounded at run time.
import type { Counter as PromCounter, Gauge as PromGauge, Histogram as PromHistogram } from 'prom-client'
import { anyValue, type LabelDefinitions, type LabelDomain, type MetricDefinition } from './definition.ts'

type LabelsOf<D> = D extends { readonly labels: infer L extends LabelDefinitions } ? L : Record<never, LabelDomain>
type ValueOf<D> = D extends readonly (infer V extends string)[] ? V : string | number

type LabelValues<D> = { readonly [K in keyof LabelsOf<D>]: ValueOf<LabelsOf<D>[K]> }

type Args<D, Rest extends unknown[]> = keyof LabelsOf<D> extends never ? Rest : [labels: LabelValues<D>, ...rest: Rest]

interface CounterInstrument<D> {
  /** Adds a nonnegative value; by default, 1. */
  inc(...args: Args<D, [value?: number]>): void
}

export interface GaugeInstrument<D> {
  set(...args: Args<D, [value: number]>): void
  inc(...args: Args<D, [value?: number]>): void
  dec(...args: Args<D, [value?: number]>): void
  /** At every scrape, removes the previous series and calls `read`, which sets the current values. */
  onScrape(read: () => void): void
}

interface HistogramInstrument<D> {
  observe(...args: Args<D, [value: number]>): void
}

export type Instrument<D extends MetricDefinition> = D['type'] extends 'counter'
  ? CounterInstrument<D>
  : D['type'] extends 'gauge'
    ? GaugeInstrument<D>
    : HistogramInstrument<D>

/** Maximum number of values of an open label. Further values count as `other`, so that a client cannot exhaust a scraper's memory. */
const maxOpenValues = 200

export type LabelRecord = Readonly<Record<string, string | number>>

/** Limits the number of values of each open label. Further values become `other`. */
export const createLabelLimit = (labels: LabelDefinitions | undefined): ((values: LabelRecord) => LabelRecord) => {
  const open = Object.entries(labels ?? {})
    .filter(([, domain]) => domain === anyValue)
    .map(([name]) => ({ name, seen: new Set<string>() }))
  if (open.length === 0) return values => values

  const fits = (seen: Set<string>, value: string): boolean => {
    if (seen.has(value)) return true
    if (seen.size >= maxOpenValues) return false
    seen.add(value)
    return true
  }
  return values => {
    let limited: Record<string, string | number> | null = null
    for (const { name, seen } of open) {
      if (fits(seen, String(values[name]))) continue
      limited ??= { ...values }
      limited[name] = 'other'
    }
    return limited ?? values
  }
}

type Recorded = readonly [labels: LabelRecord, value?: number] | readonly [value?: number]

const split = (args: Recorded): { readonly labels: LabelRecord; readonly value: number | undefined } =>
  typeof args[0] === 'object' ? { labels: args[0], value: args[1] } : { labels: {}, value: args[0] }

/** These instruments are untyped; `createMetrics` gives each one the type of its definition. */
export const counterInstrument = (counter: PromCounter, limit: (values: LabelRecord) => LabelRecord) => ({
  inc(...args: Recorded) {
    const { labels, value = 1 } = split(args)
    counter.inc(limit(labels), value)
  },
})

export const gaugeInstrument = (gauge: PromGauge, limit: (values: LabelRecord) => LabelRecord, onScrape: (read: () => void) => void) => ({
  set(...args: Recorded) {
    const { labels, value = 0 } = split(args)
    gauge.set(limit(labels), value)
  },
  inc(...args: Recorded) {
    const { labels, value = 1 } = split(args)
    gauge.inc(limit(labels), value)
  },
  dec(...args: Recorded) {
    const { labels, value = 1 } = split(args)
    gauge.dec(limit(labels), value)
  },
  onScrape,
})

export const histogramInstrument = (histogram: PromHistogram, limit: (values: LabelRecord) => LabelRecord) => ({
  observe(...args: Recorded) {
    const { labels, value = 0 } = split(args)
    histogram.observe(limit(labels), value)
  },
})
