// Dependencies of the parts of a partition's owner.
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
  /** Staged bytes that may be published again per second. */
  readonly repairBytesPerSecond: number
  /** Staged bytes read at a time. */
  readonly readBytes: number
  /** Staged bytes of one transaction. */
  readonly publishBytes: number
}

export interface PartitionDeps {
  readonly partition: number
  readonly log: EventLog
  readonly state: TraceState
  /** One reading per value, in order. */
  readonly read: (values: readonly Uint8Array[]) => Promise<readonly RecordReading[]>
  /** How the spans of each value hang together. */
  readonly readLinks: (values: readonly Uint8Array[]) => Promise<readonly (readonly SpanLink[])[]>
  /** By a record's key: its trace, or its project, was deleted. What it says of the trace is of no use. */
  readonly isDeleted: (key: Buffer) => boolean
  readonly deletedTraces: DeletedTraces
  readonly schedule: Schedule
  readonly deadLetters: DeadLetters
  readonly config: PartitionConfig
  readonly metrics: Metrics<typeof propagatorMetrics>
  readonly monotonicNow: () => number
  /** A publication was committed; `windowEndMs` is the end of the newest window that is wholly published. */
  readonly onProgress: (partition: number, windowEndMs: number | null) => void
  /** Records were published that had been accepted in this write mode; null: they do not say. */
  readonly onMode: (mode: WriteMode | null, records: number) => void
}

/** Where an owner finds the partition. */
export interface Assignment extends Pick<AssignedPartition, 'committed' | 'lowWatermark' | 'highWatermark'> {
  /** Of the partition of trace.attributes, asked for after the former owner was shut out. */
  readonly changelogEnd: number
}

/** Of one owner: what its parts share. */
export interface OwnerDeps extends PartitionDeps {
  readonly assignment: Assignment
  readonly logClock: LogClock
}
