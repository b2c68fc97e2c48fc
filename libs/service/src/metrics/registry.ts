// One metric registry per process or test. In prom-client's global registry, services of one process would register the same names.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { checkDefinition, type LabelDefinitions, type MetricCatalog, type MetricDefinition } from './definition.ts'
import {
  counterInstrument,
  createLabelLimit,
  gaugeInstrument,
  histogramInstrument,
  type Instrument,
  type LabelRecord,
} from './instruments.ts'

export interface MetricRegistry {
  /** In the Prometheus text format. */
  render(): Promise<string>
  readonly contentType: string
  /** Equal definitions share an instrument. Throws if a different definition has the same name. */
  instrument<D extends MetricDefinition>(definition: D): Instrument<D>
}

export interface MetricRegistryOptions {
  /** Reported by `svc_build_info`. */
  readonly version?: string
  /** If true, collects CPU, memory, heap, event loop lag and garbage collection. True by default. */
  readonly runtime?: boolean
}

/**
 * If a metric with closed labels has at most this many series, all series are created at the start. A counter is then 0 instead of absent
 * before its first event.
 */
const maxInitialSeries = 64

const combinations = (labels: LabelDefinitions | undefined): readonly LabelRecord[] => {
  let all: LabelRecord[] = [{}]
  for (const [name, domain] of Object.entries(labels ?? {})) {
    if (typeof domain === 'string' || all.length * domain.length > maxInitialSeries) return []
    all = all.flatMap(values => domain.map(value => ({ ...values, [name]: value })))
  }
  return all
}

const createInstrument = (registry: Registry, definition: MetricDefinition): unknown => {
  checkDefinition(definition)
  const limit = createLabelLimit(definition.labels)
  const base = { name: definition.name, help: definition.help, labelNames: Object.keys(definition.labels ?? {}), registers: [registry] }
  if (definition.type === 'counter') {
    const counter = new Counter(base)
    for (const labels of combinations(definition.labels)) counter.inc(labels, 0)
    return counterInstrument(counter, limit)
  }
  if (definition.type === 'histogram') {
    const histogram = new Histogram({ ...base, buckets: [...definition.buckets] })
    return histogramInstrument(histogram, limit)
  }
  let read: (() => void) | null = null
  const gauge = new Gauge({
    ...base,
    collect() {
      if (read === null) return
      this.reset()
      read()
    },
  })
  return gaugeInstrument(gauge, limit, next => {
    read = next
  })
}

export const createMetricRegistry = ({ version = 'unknown', runtime = true }: MetricRegistryOptions = {}): MetricRegistry => {
  const registry = new Registry()
  const instruments = new Map<string, { readonly definition: string; readonly instrument: unknown }>()

  const instrument = <D extends MetricDefinition>(definition: D): Instrument<D> => {
    const known = instruments.get(definition.name)
    const text = JSON.stringify(definition)
    if (known !== undefined && known.definition !== text) throw new Error(`Metric ${definition.name} is defined twice, differently`)
    const made = known?.instrument ?? createInstrument(registry, definition)
    instruments.set(definition.name, { definition: text, instrument: made })
    return made as Instrument<D>
  }

  if (runtime) collectDefaultMetrics({ register: registry })
  const buildInfo = new Gauge({
    name: 'svc_build_info',
    help: 'Always 1. The labels describe the running build.',
    labelNames: ['version', 'node'],
    registers: [registry],
  })
  buildInfo.set({ version, node: process.version }, 1)

  return { render: () => registry.metrics(), contentType: registry.contentType, instrument }
}

type Reserved = 'render' | 'registry'

export type Metrics<C extends MetricCatalog> = { readonly [K in Exclude<keyof C, Reserved>]: Instrument<C[K]> } & {
  render(): Promise<string>
  readonly registry: MetricRegistry
}

/**
 * Creates an instrument for each entry of a catalog. The result has each instrument under the key of its entry. If several services pass
 * the same registry, equal entries share one instrument. Throws if a catalog breaks the naming rules, or conflicts with registered metrics.
 */
export const createMetrics = <const C extends MetricCatalog & { readonly [K in Reserved]?: never }>(
  catalog: C,
  registry: MetricRegistry = createMetricRegistry(),
): Metrics<C> => {
  const instruments = Object.entries<MetricDefinition>(catalog).map(([key, definition]) => [key, registry.instrument(definition)])
  return { ...Object.fromEntries(instruments), render: () => registry.render(), registry }
}
