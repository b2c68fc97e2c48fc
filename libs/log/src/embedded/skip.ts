// Skips damaged ranges of the log when an operator requests it. The lost offsets are recorded durably, so that readers report these offsets
// and do not wait for them.
import type { SkipReport } from '../port.ts'
import { type Damage, findDamage } from './damage.ts'
import type { Partition } from './state.ts'
import type { Store } from './store.ts'
import type { Writer } from './writer.ts'

export interface SkipDeps {
  readonly store: Store
  readonly writer: Writer
}

/** Skips the unreadable records below `to`. Intact records stay. */
export async function skip({ store, writer }: SkipDeps, partition: Partition, to: number, confirmed: boolean): Promise<SkipReport> {
  const { low, high } = partition.numbers
  const { name } = partition.topic.spec
  if (!(to > low && to <= high))
    throw new RangeError(`${name}/${partition.partition} has the offsets ${low} to ${high}: ${to} is not among them.`)
  const lost: Damage[] = []
  const restored: Damage[] = []
  for await (const damage of findDamage(store, partition, low, to)) (damage.restore ? restored : lost).push(damage)
  const report = {
    lost: lost.map(({ from, to, reason }) => ({ from, to: Math.min(to, high), reason })),
    restored: restored.map(({ from, to }) => ({ from, to })),
  }
  if (!confirmed || lost.length + restored.length === 0) return report
  await writer.submit({
    bytes: 0,
    bounded: false,
    apply: draft => {
      for (const { restore } of restored) if (restore) draft.change({ kind: 'put-entry', id: partition.id, entry: restore })
      for (const range of report.lost) draft.lose(partition, { ...range, atMs: draft.now() })
    },
  })
  for (const watcher of partition.watchers) watcher()
  return report
}
