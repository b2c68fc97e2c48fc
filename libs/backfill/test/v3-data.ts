// Creates random data for the tables of a v3 installation. The data has several versions of a row, deletions, traces across months, and
// observations without a trace row.
import { createRandom } from '@svc-server/testkit'
import { cutoffMs } from './world.ts'

interface Versioned {
  readonly event_ts: number
  readonly is_deleted: 0 | 1
}

export interface Trace extends Versioned {
  readonly id: string
  readonly project_id: string
  readonly timestamp: number
  readonly name: string
  readonly user_id: string | null
  readonly session_id: string | null
  readonly version: string | null
  readonly release: string | null
  readonly tags: readonly string[]
  readonly public: boolean
  readonly bookmarked: boolean
  readonly metadata: Readonly<Record<string, string>>
  readonly input: string | null
  readonly output: string | null
}

export interface Observation extends Versioned {
  readonly id: string
  readonly project_id: string
  readonly trace_id: string
  readonly type: string
  readonly start_time: number
  readonly end_time: number | null
  readonly parent_observation_id: string | null
  readonly name: string
  readonly version: string | null
  readonly level: string
  readonly status_message: string | null
  readonly metadata: Readonly<Record<string, string>>
  readonly input: string | null
  readonly output: string | null
  readonly usage_details: Readonly<Record<string, number>>
}

export interface RunItem extends Versioned {
  readonly id: string
  readonly project_id: string
  readonly dataset_id: string
  readonly dataset_run_id: string
  readonly dataset_run_name: string
  readonly dataset_item_id: string
  readonly trace_id: string
  readonly observation_id: string | null
  readonly created_at: number
  readonly dataset_run_metadata: Readonly<Record<string, string>>
}

/** An event that already exists when the backfill begins. */
interface Present {
  readonly project_id: string
  readonly trace_id: string
  readonly span_id: string
  readonly parent_span_id: string
  /** Microseconds. */
  readonly start_us: number
}

export interface V3Data {
  readonly traces: readonly Trace[]
  readonly observations: readonly Observation[]
  readonly runItems: readonly RunItem[]
  readonly present: readonly Present[]
  readonly denied: readonly { readonly project_id: string; readonly trace_id: string }[]
  /** Roots that the live path has written. Each text is `project/trace/milliseconds`. */
  readonly liveRoots: ReadonlySet<string>
}

const day = 86_400_000
const begin = Date.parse('2026-07-28T12:00:00.123Z')

export function v3Data(seed: number, traceCount = 30): V3Data {
  const { next: random } = createRandom(seed)
  const int = (below: number) => Math.floor(random() * below)
  const one = <T>(list: readonly T[]): T => list[int(list.length)]!
  const maybe = <T>(value: T): T | null => (random() < 0.5 ? value : null)
  const chance = (share: number) => random() < share
  const metadata = () =>
    one([{}, { a: 'text', b: '{"c":1}' }, { resourceAttributes: '{"service.name":"s"}' }, { empty: '{}', list: '[1]', broken: '{"x' }])
  const traces: Trace[] = []
  const observations: Observation[] = []
  const runItems: RunItem[] = []
  const present: Present[] = []
  const denied: V3Data['denied'][number][] = []

  for (let at = 0; at < traceCount; at++) {
    // The project `large` has half of all rows. The ids contain characters that have a meaning in SQL.
    const project_id = chance(0.5) ? 'large' : `p'${int(6)}\\`
    const id = `trace-${(at * 7919) % 1000}-${at}`
    const timestamp = begin + int(70) * day + int(day)
    const versionOf = () => (chance(0.08) ? cutoffMs + int(day) : timestamp + int(10 * day))
    const trace = (): Trace => ({
      ...{
        id,
        project_id,
        timestamp,
        event_ts: versionOf(),
        is_deleted: 0,
        name: `name ${int(9)}`,
        user_id: maybe('user'),
        session_id: maybe('s'),
      },
      ...{ version: maybe('v1'), release: maybe('r1'), tags: one([[], ['x', 'y']]), public: chance(0.3), bookmarked: chance(0.3) },
      ...{ metadata: metadata(), input: maybe('in ü'), output: maybe('out') },
    })
    const kind = one(['plain', 'plain', 'plain', 'updated', 'moved', 'deleted', 'absent'])
    const row = trace()
    if (kind !== 'absent') traces.push(row)
    if (kind === 'updated') traces.push({ ...trace(), event_ts: row.event_ts + 5_000 })
    if (kind === 'moved') traces.push({ ...trace(), timestamp: timestamp - (1 + int(40)) * day, event_ts: row.event_ts + 5_000 })
    if (kind === 'deleted') traces.push({ ...row, event_ts: row.event_ts + 5_000, is_deleted: 1 })

    const ids = Array.from({ length: int(8) }, (_, number) => (number === 3 && chance(0.3) ? id : `${id}-o${number}`))
    for (const [number, span] of ids.entries()) {
      const observation = (): Observation => ({
        ...{ id: span, project_id, trace_id: id, type: 'GENERATION', event_ts: versionOf(), is_deleted: 0 },
        ...{
          start_time: timestamp + number * 9 * day + int(day),
          end_time: maybe(timestamp + 80 * day),
          name: `o ${int(9)}`,
          version: maybe('vo'),
        },
        ...{ parent_observation_id: number === 0 ? null : one([null, '', ids[int(number)]!, 'unknown']), level: one(['DEFAULT', 'ERROR']) },
        ...{ status_message: maybe('status'), metadata: metadata(), input: maybe('question'), output: maybe('answer') },
        ...{ usage_details: one<Record<string, number>>([{}, { input: 3, output: 4 }]) },
      })
      const row = observation()
      observations.push(row)
      if (chance(0.2)) observations.push({ ...observation(), start_time: row.start_time, event_ts: row.event_ts + 7_000 })
      if (chance(0.05)) observations.push({ ...row, event_ts: row.event_ts + 9_000, is_deleted: 1 })
      if (chance(0.1))
        present.push({ project_id, trace_id: id, span_id: span, parent_span_id: 'x', start_us: row.start_time * 1000 + int(1000) })
    }
    if (chance(0.15)) present.push({ project_id, trace_id: id, span_id: `otel-${at}`, parent_span_id: '', start_us: timestamp * 1000 + 5 })
    if (chance(0.1)) denied.push({ project_id, trace_id: id })
    for (let item = 0; chance(0.25) && item < 3; item++) {
      runItems.push({
        ...{
          id: `item-${at}-${item}`,
          project_id,
          dataset_id: 'd',
          dataset_run_id: `run-${int(3)}`,
          dataset_run_name: 'run',
          dataset_item_id: `di-${item}`,
        },
        ...{
          trace_id: id,
          observation_id: one([null, '', ids[0] ?? null, ids[1] ?? null, 'missing']),
          created_at: timestamp + item * 40 * day,
        },
        ...{ dataset_run_metadata: one<Record<string, string>>([{}, { k: 'v' }]), event_ts: timestamp + day, is_deleted: 0 },
      })
    }
  }
  return { traces, observations, runItems, present, denied, liveRoots: new Set() }
}
