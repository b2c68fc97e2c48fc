import type { AssignedPartition, EventLog } from '@svc-server/log'
import type { WriteMode } from '@svc-server/modes/write-mode'
import type { Metrics } from '@svc-server/service/metrics'
import type { DeadLetters } from '@svc-server/stream/dead-letter'
import type { propagatorMetrics } from '../metrics.ts'
import type { RecordReading, SpanLink } from '../reading/messages.ts'
import type { TraceState } from '../state/index.ts'
import type { DecisionLimits } from '../windows/decisions.ts'
import type { LogClock } from '../windows/log-clock.ts'
import type { Schedule } from '../windows/schedule.ts'
import type { WindowLimits } from '../windows/window.ts'
import type { DeletedTraces } from './deleted-traces.ts'

interface PartitionConfig extends DecisionLimits, WindowLimits {
  readonly repairBytesPerSecond: number
  /** Maximum bytes of the staged records that one read returns. */
  readonly readBytes: number
  /** Maximum bytes of the staged records that one transaction publishes. */
  readonly publishBytes: number
}

export interface PartitionDeps {
  readonly partition: number
  readonly log: EventLog
  readonly state: TraceState
  /** Reads the values of records. Returns one result for each value, in the order of `values`. */
  readonly read: (values: readonly Uint8Array[]) => Promise<readonly RecordReading[]>
  /** Returns the links of each value, in the order of `values`. */
  readonly readLinks: (values: readonly Uint8Array[]) => Promise<readonly (readonly SpanLink[])[]>
  /** Returns true if the key's trace was deleted. The propagator does not use attributes of a deleted trace. */
  readonly isDeleted: (key: Buffer) => boolean
  readonly deletedTraces: DeletedTraces
  readonly schedule: Schedule
  readonly deadLetters: DeadLetters
  readonly config: PartitionConfig
  readonly metrics: Metrics<typeof propagatorMetrics>
  readonly monotonicNow: () => number
  /**
   * Called after each commit. `windowEndMs` is the end of the window that the commit completed, or null if the commit completed no window.
   */
  readonly onProgress: (partition: number, windowEndMs: number | null) => void
  /** Reports that this number of records has this write mode. The mode is null if the records name no mode. */
  readonly onMode: (mode: WriteMode | null, records: number) => void
}

export interface Assignment extends Pick<AssignedPartition, 'committed' | 'lowWatermark' | 'highWatermark'> {
  /**
   * End offset of the partition of trace.attributes that has the same number as this partition. At the time when the
   * propagator looks up this offset, the previous owner can no longer publish.
   */
  readonly changelogEnd: number
}

export interface OwnerDeps extends PartitionDeps {
  readonly assignment: Assignment
  readonly logClock: LogClock
}
