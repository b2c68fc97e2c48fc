// Runs concurrent appends, and then compares the results of the appends with the records on the log.
import type { EventLog } from '../../src/port.ts'
import { bytes, readAll, text } from '../conformance/harness.ts'

export interface Ledger {
  readonly acknowledged: number
  readonly refused: readonly unknown[]
  /** Duration of the slowest append. Failed appends count too. */
  readonly slowestMs: number
  stop(): Promise<void>
  /** `lost` counts acknowledged records that are missing at their position. `doubled` counts records that are on the log more than once. */
  compare(): Promise<{ readonly lost: number; readonly doubled: number }>
}

export function appendConcurrently(
  log: EventLog,
  options: { readonly topic: string; readonly partitions: number; readonly loops: number; readonly recordBytes?: number },
): Ledger {
  const places = new Map<string, string>()
  const refused: unknown[] = []
  let slowestMs = 0
  let acknowledged = 0
  let stopped = false

  const loop = async (number: number): Promise<void> => {
    for (let i = 0; !stopped; i++) {
      const labels = [`${number}-${i}-a`, `${number}-${i}-b`]
      const records = labels.map(label => ({
        key: null,
        value: bytes(label.padEnd(options.recordBytes ?? 0)),
        partition: (number + i) % options.partitions,
      }))
      const startedAt = performance.now()
      try {
        const positions = await log.append(options.topic, records)
        for (const [at, { partition, offset }] of positions.entries()) places.set(labels[at]!, `${partition}/${offset}`)
        acknowledged += positions.length
      } catch (error) {
        refused.push(error)
        await new Promise(resolve => setTimeout(resolve, 20))
      }
      slowestMs = Math.max(slowestMs, performance.now() - startedAt)
    }
  }
  const loops = Array.from({ length: options.loops }, (_, number) => loop(number))

  return {
    get acknowledged() {
      return acknowledged
    },
    refused,
    get slowestMs() {
      return slowestMs
    },
    async stop() {
      stopped = true
      await Promise.all(loops)
    },
    async compare() {
      const found = new Map<string, string[]>()
      for (let partition = 0; partition < options.partitions; partition++) {
        for (const { offset, value } of await readAll(log, options.topic, partition, 0, 8 << 20)) {
          const label = text(value)!.trimEnd()
          const at = `${partition}/${offset}`
          const all = found.get(label)
          if (all) all.push(at)
          else found.set(label, [at])
        }
      }
      const acknowledgedLabels = [...places]
      return {
        lost: acknowledgedLabels.filter(([label, place]) => !found.get(label)?.includes(place)).length,
        doubled: acknowledgedLabels.filter(([label]) => (found.get(label)?.length ?? 0) > 1).length,
      }
    },
  }
}
