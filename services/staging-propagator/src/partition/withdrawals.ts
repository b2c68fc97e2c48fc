// Publishes tombstones for the `trace.attributes` records of deleted traces. The code processes each deletion twice: when the deletion
// arrives, and after all windows that were open at that time have been published. The second time is necessary, because such a window can
// contain the trace.
import type { NewRecord } from '@svc-server/log'
import { createYields } from '@svc-server/owner/yields'
import { projectOfTraceKey, traceKeyOf } from '@svc-server/schema/trace-key'
import { traceWindowKey } from '@svc-server/schema/trace-window'
import type { TraceState } from '../state/index.ts'
import type { WindowPlace } from '../state/table.ts'
import type { DeletedTraces } from './deleted-traces.ts'

export interface WithdrawalsDeps {
  readonly partition: number
  readonly state: Pick<TraceState, 'windows' | 'tracesAfter' | 'projectTraces'>
  readonly deletedTraces: DeletedTraces
  /** When this many milliseconds have passed since a deletion arrived, all windows that were open at the arrival have been published. */
  readonly settledMs: number
  readonly monotonicNow: () => number
}

interface Withdrawal {
  readonly records: readonly NewRecord[]
  /** The caller must call this function after it has committed `records`, even if `records` is empty. */
  done(): void
}

export interface Withdrawals {
  next(): Promise<Withdrawal>
}

const deletionsAtATime = 1_000
const tracesAtATime = 512
const maxRecords = 20_000
const nothing: Withdrawal = { records: [], done() {} }

export function createWithdrawals({ partition, state, deletedTraces, settledMs, monotonicNow }: WithdrawalsDeps): Withdrawals {
  /** `at` is a position in the list of deletions. `walked` is a position among all traces, and only the deletion of a project uses it. */
  const passes = [
    { delayMs: 0, at: 0, walked: null as WindowPlace | null },
    { delayMs: settledMs, at: 0, walked: null as WindowPlace | null },
  ]

  const recordsOf = (traceKey: Buffer): readonly NewRecord[] =>
    state.windows(partition, traceKey).map(({ firstOffset }) => ({ key: traceWindowKey(traceKey, firstOffset), value: null, partition }))

  async function walk(projects: readonly string[], from: WindowPlace | null) {
    const wanted = new Set(projects.filter(projectId => state.projectTraces(partition, projectId) > 0))
    const yields = createYields(1)
    const seen = new Set<string>()
    const records: NewRecord[] = []
    let place = from
    for (let isEnd = wanted.size === 0; !isEnd && records.length < maxRecords; ) {
      if (yields.isDue()) await yields.take()
      const found = state.tracesAfter(partition, place, tracesAtATime)
      for (const { traceKey } of found) {
        if (!wanted.has(projectOfTraceKey(traceKey)) || seen.has(traceKey.toString('latin1'))) continue
        seen.add(traceKey.toString('latin1'))
        for (const record of recordsOf(traceKey)) records.push(record)
      }
      isEnd = found.length < tracesAtATime
      place = isEnd ? null : found.at(-1)!.place
    }
    return { records, place: wanted.size === 0 ? null : place }
  }

  return {
    async next() {
      for (const pass of passes) {
        const { deleted, next } = deletedTraces.read(pass.at, monotonicNow() - pass.delayMs, deletionsAtATime)
        if (deleted.length === 0) continue
        const ofTraces = deleted.flatMap(({ projectId, traceId }) =>
          traceId === null ? [] : recordsOf(Buffer.from(traceKeyOf({ projectId, traceId }))),
        )
        const projects = deleted.flatMap(({ projectId, traceId }) => (traceId === null ? [projectId] : []))
        const { records, place } = await walk([...new Set(projects)], pass.walked)
        const all = [...ofTraces, ...records]
        const done = () => {
          pass.walked = place
          if (place === null) pass.at = next
        }
        if (all.length > 0 || place !== null) return { records: all, done }
        done()
      }
      return nothing
    },
  }
}
