// One registry a process, or one a test: never prom-client's global one, which two services in a process
// would fight over.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { checkDefinition, type LabelDefinitions, type MetricCatalogue, type MetricDefinition } from './definition.ts'
import {
  counterInstrument,
  createLabelLimit,
  gaugeInstrument,
  histogramInstrument,
  type Instrument,
  type LabelRecord,
} from './instruments.ts'

export interface MetricRegistry {
  /** The Prometheus text format of everything registered. */
  render(): Promise<string>
  readonly contentType: string
  /**
   * The instrument of a definition; the same one when the same definition comes again, an error when a
   * different one does.
   */
  instrument<D extends MetricDefinition>(definition: D): Instrument<D>
}

export interface MetricRegistryOptions {
  /** Version for `svc_build_info`. */
  readonly version?: string
  /** CPU, memory, heap, event loop lag, garbage collection of this process. Default: true. */
  readonly runtime?: boolean
}

/** Series of closed labels made at start, so that a counter is 0 before its first event and not absent. */
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

export type Metrics<C extends MetricCatalogue> = { readonly [K in Exclude<keyof C, Reserved>]: Instrument<C[K]> } & {
  render(): Promise<string>
  readonly registry: MetricRegistry
}

/**
 * The instruments of a catalogue, by its keys. Services that share a process pass the same registry: their
 * common entries are then the same instruments. Throws when the catalogue breaks the naming rules or
 * contradicts what is registered: both are defects.
 */
export const createMetrics = <const C extends MetricCatalogue & { readonly [K in Reserved]?: never }>(
  catalogue: C,
  registry: MetricRegistry = createMetricRegistry(),
): Metrics<C> => {
  const instruments = Object.entries<MetricDefinition>(catalogue).map(([key, definition]) => [key, registry.instrument(definition)])
  return { ...Object.fromEntries(instruments), render: () => registry.render(), registry }
}
