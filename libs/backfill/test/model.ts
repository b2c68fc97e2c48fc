// Implements contract §15 in memory. Tests compare the rows of this model with the rows of the backfill's SQL.
import type { Observation, RunItem, Trace, V3Data } from './v3-data.ts'
import { cutoffMs } from './world.ts'

/** A row that `readEvents` returned. Times are in microseconds. */
export type EventRow = Readonly<Record<string, unknown>>

const keyOf = (...parts: readonly (string | number)[]) => parts.join('\u0000')

/** Returns the newest version of each row. Leaves out a row if its newest version is deleted. */
function newest<Row extends { event_ts: number; is_deleted: 0 | 1 }>(rows: readonly Row[], key: (row: Row) => string): Row[] {
  const byKey = new Map<string, Row>()
  for (const row of rows) {
    const known = byKey.get(key(row))
    if (known === undefined || row.event_ts >= known.event_ts) byKey.set(key(row), row)
  }
  return [...byKey.values()].filter(({ is_deleted }) => is_deleted === 0)
}

function groupedBy<Row>(rows: readonly Row[], key: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const group = groups.get(key(row))
    if (group === undefined) groups.set(key(row), [row])
    else group.push(row)
  }
  return groups
}

const dayOf = (ms: number) => Math.floor(ms / 86_400_000)
const traceKey = ({ project_id, trace_id }: { project_id: string; trace_id: string }) => keyOf(project_id, trace_id)

function typeOf(text: string): number {
  if (!text.startsWith('{')) return 0
  try {
    return Object.keys(JSON.parse(text)).length > 0 ? 3 : 0
  } catch {
    return 0
  }
}

const metadataOf = (metadata: Readonly<Record<string, string>>) => ({
  metadata_names: Object.keys(metadata),
  metadata_values: Object.values(metadata),
  metadata_types: Object.values(metadata).map(typeOf),
  source: 'resourceAttributes' in metadata ? 'otel-backfill' : 'ingestion-api-backfill',
})

const nothing = {
  ...{
    end_us: null,
    version: '',
    release: '',
    trace_name: '',
    user_id: '',
    session_id: '',
    tags: [],
    status_message: '',
    bookmarked: false,
    public: false,
  },
  ...{ input: '', output: '', metadata_names: [], metadata_values: [], metadata_types: [], usage_details: {} },
  ...{ experiment_id: '', experiment_item_id: '', experiment_item_root_span_id: '', experiment_metadata_names: [] as string[] },
}

export function expectedEvents(data: V3Data): EventRow[] {
  const ofDay = newest(data.traces, ({ project_id, timestamp, id }) => keyOf(project_id, dayOf(timestamp), id))
  const traces = new Map<string, Trace>()
  for (const trace of ofDay.sort((a, b) => a.event_ts - b.event_ts || a.timestamp - b.timestamp))
    traces.set(keyOf(trace.project_id, trace.id), trace)
  const rows = newest(data.observations, ({ project_id, type, start_time, id }) => keyOf(project_id, type, dayOf(start_time), id))
  const observations = rows.filter(({ event_ts }) => event_ts < cutoffMs)
  // The model also reads rows of the live path, because a span of the live path can be the parent of an older span.
  const spans = groupedBy(
    rows.filter(({ event_ts, start_time }) => Math.min(event_ts, start_time) < cutoffMs),
    traceKey,
  )
  const otelRoots = new Map(data.present.filter(({ parent_span_id }) => parent_span_id === '').map(row => [traceKey(row), row.span_id]))
  const denied = new Set(data.denied.map(traceKey))
  const present = new Set(data.present.map(row => keyOf(traceKey(row), row.span_id, Math.floor(row.start_us / 1000))))
  const items = groupedBy(
    newest(data.runItems, ({ id }) => id).toSorted((a, b) => a.created_at - b.created_at || (a.id < b.id ? -1 : 1)),
    traceKey,
  )
  const byTrace = groupedBy(observations, traceKey)

  const events: EventRow[] = []
  for (const key of new Set([...traces.keys(), ...byTrace.keys()])) {
    if (denied.has(key)) continue
    const trace = traces.get(key)
    const children = byTrace.get(key) ?? []
    const traceId = trace?.id ?? children[0]!.trace_id
    const virtual = `t-${traceId}`
    const experimentOf = experiments(items.get(key) ?? [], spans.get(key) ?? [], virtual)
    const root = rootOf(trace, children, data.liveRoots)
    if (root !== null && !otelRoots.has(key)) events.push({ ...root, ...experimentOf(virtual) })
    for (const o of children) events.push({ ...childOf(o, trace, otelRoots.get(key)), ...experimentOf(o.id) })
  }
  return events.filter(
    row => !present.has(keyOf(String(row['project_id']), String(row['trace_id']), String(row['span_id']), Number(row['start_us']) / 1000)),
  )
}

/**
 * Returns the virtual root that the backfill must write, or null. For a trace from the legacy API, the live path writes a virtual root
 * together with each row. For a trace from OTel, the live path writes no virtual root: such a trace has a root span, which can be older
 * than the cutoff.
 */
function rootOf(trace: Trace | undefined, children: readonly Observation[], liveRoots: ReadonlySet<string>): EventRow | null {
  const isLive = (of: Trace) => liveRoots.has(`${of.project_id}/${of.id}/${of.timestamp}`)
  if (trace !== undefined && trace.event_ts >= cutoffMs && (children.length === 0 || isLive(trace))) return null
  const [first] = children.toSorted((a, b) => a.start_time - b.start_time || (a.id < b.id ? -1 : 1))
  if (trace === undefined && first === undefined) return null
  const shared = { ...nothing, parent_span_id: '', type: 'SPAN', level: 'DEFAULT' }
  if (trace === undefined) {
    const { project_id, trace_id, start_time, name, event_ts } = first!
    const from = { project_id, trace_id, span_id: `t-${trace_id}`, start_us: start_time * 1000, event_us: event_ts * 1000 }
    return { ...shared, ...from, name, trace_name: name, source: 'ingestion-api-backfill' }
  }
  return {
    ...shared,
    ...{
      project_id: trace.project_id,
      trace_id: trace.id,
      span_id: `t-${trace.id}`,
      start_us: trace.timestamp * 1000,
      event_us: trace.event_ts * 1000,
    },
    ...{
      name: trace.name,
      trace_name: trace.name,
      version: trace.version ?? '',
      release: trace.release ?? '',
      user_id: trace.user_id ?? '',
    },
    ...{ session_id: trace.session_id ?? '', tags: trace.tags, bookmarked: trace.bookmarked, public: trace.public },
    ...{ input: trace.input ?? '', output: trace.output ?? '', ...metadataOf(trace.metadata) },
  }
}

const childOf = (o: Observation, trace: Trace | undefined, otelRoot: string | undefined): EventRow => ({
  ...nothing,
  ...{
    project_id: o.project_id,
    trace_id: o.trace_id,
    span_id: o.id,
    parent_span_id: o.parent_observation_id || otelRoot || `t-${o.trace_id}`,
  },
  ...{
    start_us: o.start_time * 1000,
    end_us: o.end_time === null ? null : o.end_time * 1000,
    name: o.name,
    type: o.type,
    event_us: o.event_ts * 1000,
  },
  ...{
    version: o.version ?? trace?.version ?? '',
    release: trace?.release ?? '',
    trace_name: trace?.name ?? '',
    user_id: trace?.user_id ?? '',
  },
  ...{
    session_id: trace?.session_id ?? '',
    tags: trace?.tags ?? [],
    public: trace?.public ?? false,
    level: o.level,
    status_message: o.status_message ?? '',
  },
  ...{ input: o.input ?? '', output: o.output ?? '', usage_details: o.usage_details, ...metadataOf(o.metadata) },
})

/**
 * Finds the experiment item of a span. If the span is the root of an item, the span belongs to this item. Any other span belongs to the
 * same item as its nearest ancestor that is the root of an item.
 */
function experiments(items: readonly RunItem[], children: readonly Observation[], virtual: string): (spanId: string) => object {
  const byRoot = new Map(items.map(item => [item.observation_id || virtual, item]))
  const parents = new Map(children.map(o => [o.id, o.parent_observation_id || virtual]))
  return spanId => {
    const seen = new Set<string>()
    for (let at: string | undefined = spanId; at !== undefined && !seen.has(at); at = parents.get(at)) {
      seen.add(at)
      const item = byRoot.get(at)
      if (item === undefined) continue
      const of = { experiment_id: item.dataset_run_id, experiment_item_id: item.dataset_item_id, experiment_item_root_span_id: at }
      return { ...of, experiment_metadata_names: Object.keys(item.dataset_run_metadata) }
    }
    return {}
  }
}
