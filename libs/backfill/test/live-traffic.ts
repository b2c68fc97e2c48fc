// Simulates the live path during the backfill. `data` begins with the rows of the old tables, and each change adds the rows that it writes
// to these tables. A deleted trace is listed in `data.denied`, and keeps its rows in `data`.
import { createRandom } from '@svc-server/testkit'
import { deny, insert } from './load.ts'
import { expectedEvents } from './model.ts'
import type { Observation, Trace, V3Data } from './v3-data.ts'
import { cutoffMs, type World } from './world.ts'

const day = 86_400_000

/** Creates an event of the live path. The event has only a key, times and its source. */
const eventOf = (
  row: { project_id: string; trace_id: string; span_id: string; start_ms: number },
  versionMs: number,
  more: object = {},
) => {
  const { start_ms, ...key } = row
  return {
    ...key,
    start_time: new Date(start_ms).toISOString(),
    event_ts: new Date(versionMs).toISOString(),
    source: 'ingestion-api-dual-write',
    ...more,
  }
}

export function createLiveTraffic(world: World, before: V3Data, seed: number) {
  const random = createRandom(seed)
  const data = {
    traces: [...before.traces],
    observations: [...before.observations],
    runItems: [...before.runItems],
    present: [...before.present],
    denied: [...before.denied],
    liveRoots: new Set<string>(),
  }
  let version = cutoffMs + 2 * day

  const isDenied = (project: string, trace: string) => data.denied.some(row => row.project_id === project && row.trace_id === trace)
  const hasOtelRoot = (project: string, trace: string) =>
    data.present.some(row => row.project_id === project && row.trace_id === trace && row.parent_span_id === '')
  const newestTrace = (project: string, id: string): Trace | undefined =>
    data.traces.filter(row => row.project_id === project && row.id === id).toSorted((a, b) => b.event_ts - a.event_ts)[0]

  function pickObservation(): Observation | undefined {
    const all = before.observations.filter(row => !isDenied(row.project_id, row.trace_id))
    return all.length === 0 ? undefined : random.pick(all)
  }

  async function writeRoot(trace: Trace, isDeleted: 0 | 1): Promise<void> {
    const key = { project_id: trace.project_id, trace_id: trace.id, span_id: `t-${trace.id}`, start_ms: trace.timestamp }
    await insert(world, 'events_full', [eventOf(key, version, { is_deleted: isDeleted, trace_name: trace.name })])
    data.liveRoots.add(`${trace.project_id}/${trace.id}/${trace.timestamp}`)
  }

  /** A third of these traces come only from OTel. The live path writes no virtual root for a trace from OTel. */
  const byOtel = new Set(
    [
      ...new Set(expectedEvents(before).flatMap(row => (row['type'] === 'GENERATION' ? [`${row['project_id']}/${row['trace_id']}`] : []))),
    ].filter((_, at) => at % 3 === 0),
  )
  const isByOtel = (row: { readonly project_id: string; readonly trace_id: string }) => byOtel.has(`${row.project_id}/${row.trace_id}`)

  /** A late span or a changed flag makes the live path rewrite only the row of the trace. */
  async function changeOtelTrace(known: Trace): Promise<void> {
    const said = { bookmarked: random.next() < 0.5, public: random.next() < 0.5, user_id: random.pick([null, 'late user']) }
    const trace: Trace = { ...known, ...said, event_ts: version, is_deleted: 0 }
    await insert(world, 'traces', [trace])
    data.traces.push(trace)
  }

  async function changeTrace(): Promise<void> {
    const of = pickObservation()
    if (of === undefined) return
    const known = newestTrace(of.project_id, of.trace_id)
    if (isByOtel(of)) return known?.is_deleted === 0 ? changeOtelTrace(known) : undefined
    const base = known ?? { ...before.traces[0]!, id: of.trace_id, project_id: of.project_id, timestamp: of.start_time + 77 }
    const isMoved = known !== undefined && random.next() < 0.3
    const trace: Trace = {
      ...{ ...base, timestamp: isMoved ? base.timestamp + random.pick([-3 * day, 1_000]) : base.timestamp },
      ...{ event_ts: version, is_deleted: 0, name: `late ${version % 1_000}`, user_id: random.pick([null, 'late user']) },
      ...{ session_id: random.pick([null, 'late']), tags: random.pick([[], ['late']]), version: random.pick([null, 'late']) },
    }
    const left = data.traces.filter(row => row.project_id === trace.project_id && row.id === trace.id && row.timestamp !== trace.timestamp)
    const tombstones = left.map(row => ({ ...row, event_ts: version, is_deleted: 1 as const }))
    // In the old tables, all rows of a trace on one day have the same key. A tombstone on the day of the current row would therefore delete
    // the current row.
    const gone = tombstones.filter(row => Math.floor(row.timestamp / day) !== Math.floor(trace.timestamp / day))
    await insert(world, 'traces', [...gone, trace])
    data.traces.push(...gone, trace)
    for (const row of tombstones) await writeRoot(row, 1)
    await writeRoot(trace, hasOtelRoot(trace.project_id, trace.id) ? 1 : 0)
  }

  async function changeObservation(): Promise<void> {
    const of = pickObservation()
    if (of === undefined || isByOtel(of)) return
    const row = { ...of, event_ts: version, is_deleted: 0 as const, name: 'late', parent_observation_id: null }
    await insert(world, 'observations', [row])
    data.observations.push(row)
    const key = { project_id: row.project_id, trace_id: row.trace_id, span_id: row.id, start_ms: row.start_time }
    await insert(world, 'events_full', [eventOf(key, version, { parent_span_id: `t-${row.trace_id}` })])
  }

  async function changeRunItem(): Promise<void> {
    const of = pickObservation()
    if (of === undefined) return
    const known = data.runItems.filter(row => !isDenied(row.project_id, row.trace_id) && row.is_deleted === 0)
    const removed = known.length > 0 && random.next() < 0.4 ? random.pick(known) : null
    const row = removed
      ? { ...removed, event_ts: version, is_deleted: 1 as const }
      : {
          ...{ id: `late-${version}`, project_id: of.project_id, dataset_id: 'd', dataset_run_id: 'late-run', dataset_run_name: 'late' },
          ...{ dataset_item_id: 'late-item', trace_id: of.trace_id, observation_id: random.pick([null, of.id]), created_at: version },
          ...{ dataset_run_metadata: { late: 'yes' }, event_ts: version, is_deleted: 0 as const },
        }
    await insert(world, 'dataset_run_items_rmt', [row])
    data.runItems.push(row)
  }

  async function addOtelRoot(): Promise<void> {
    const of = pickObservation()
    if (of === undefined || hasOtelRoot(of.project_id, of.trace_id)) return
    const key = { project_id: of.project_id, trace_id: of.trace_id, span_id: `otel-${version}` }
    await insert(world, 'events_full', [eventOf({ ...key, start_ms: version }, version, { parent_span_id: '', source: 'otel' })])
    data.present.push({ ...key, parent_span_id: '', start_us: version * 1000 })
    const trace = newestTrace(of.project_id, of.trace_id)
    if (trace?.is_deleted === 0) await writeRoot(trace, 1)
  }

  async function deleteTrace(): Promise<void> {
    const of = pickObservation()
    if (of === undefined) return
    const denied = { project_id: of.project_id, trace_id: of.trace_id }
    await deny(world, [denied])
    data.denied.push(denied)
    const project = `project_id = '${of.project_id.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
    for (const [table, id] of deletable)
      await world.columnStore.command(`DELETE FROM ${table} WHERE ${project} AND ${id} = '${of.trace_id}'`)
  }

  const kinds = [changeTrace, changeTrace, changeTrace, changeObservation, changeRunItem, addOtelRoot, deleteTrace]
  return {
    data: data as V3Data,
    async change(): Promise<void> {
      version += 1_000
      await random.pick(kinds)()
    },
  }
}

const deletable = [
  ...([
    ['traces', 'id'],
    ['observations', 'trace_id'],
    ['dataset_run_items_rmt', 'trace_id'],
  ] as const),
  ...([
    ['events_full', 'trace_id'],
    ['events_core', 'trace_id'],
  ] as const),
]
