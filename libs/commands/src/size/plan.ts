// Computes a plan from a number of spans per second and the results of benches.
import type { WriteMode } from '@svc-server/modes/write-mode'
import { costOf, type Measured } from './measured.ts'

export interface Asked {
  readonly spansPerSecond: number
  /** Size of a span as protobuf, with its share of the resource and scope. */
  readonly bytesPerSpan?: number | undefined
  readonly retentionDays: number
  readonly writeMode: WriteMode
  /** Share of spans that wait for a window. These are spans of older SDKs, and spans of requests with ingestion version 3. */
  readonly stagedShare: number
  readonly copies: number
  readonly coresPerNode: number
  readonly nodePrice?: number | undefined
}

/** Default settings of the services. A test compares them. */
export const design = {
  /** The chart recommends the same number of spans per second for each partition. */
  spansPerPartition: 5_000,
  leastPartitions: 8,
  fetchMaxWaitSeconds: 1,
  fetchMinBytes: 24 * 1024 * 1024,
  chunkMaxRows: 40_000,
  logRetentionDays: 7,
  logReplicas: 3,
}

/** Assumptions that were not measured. The command prints them. */
export const assumptions = {
  /** Number of cores that a process uses. A process cannot keep more cores than this busy, because its threads have unequal work. */
  coresOfProcess: 1,
  /**
   * Share of the available CPU time that the plan assigns to the work of all processes except the column store. The rest is for bursts and
   * for the loss of a node.
   */
  utilisation: 0.6,
  /**
   * Share of the available CPU time that the plan assigns to the work of the column store. This share is lower than `utilisation`, because
   * merges come in bursts and reads also need CPU time.
   */
  engineUtilisation: 0.5,
  /** Number of bytes that a broker can write per second, including replicas of other brokers' partitions. */
  brokerBytesPerSecond: 100e6,
  /** Share of the disk that the plan fills. The rest is free, because a merge needs as much free space as the largest part on the disk. */
  diskFill: 0.7,
  leastReplicas: 2,
}

export interface Plan {
  readonly cores: Readonly<Record<'gateway' | 'broker' | 'writer' | 'propagator' | 'columnStore', number>>
  readonly replicas: Readonly<Record<'gateway' | 'writer' | 'propagator' | 'brokers', number>>
  readonly partitions: { readonly direct: number; readonly staging: number }
  readonly insertsPerSecond: number
  readonly rowsPerInsert: number
  readonly partsPerMinute: number
  readonly log: { readonly bytesPerSecond: number; readonly diskBytes: number }
  readonly store: { readonly bytesPerMillionSpans: number; readonly diskBytes: number; readonly servers: number }
  readonly nodes: { readonly services: number; readonly brokers: number; readonly columnStore: number; readonly all: number }
  readonly price: number | null
}

const { coresOfProcess, utilisation, engineUtilisation, brokerBytesPerSecond, diskFill, leastReplicas } = assumptions

export function planFor(asked: Asked, measured?: Measured): Plan {
  const { spansPerSecond, retentionDays, writeMode, copies, coresPerNode, nodePrice } = asked
  const cost = costOf(writeMode, measured)
  const staged = writeMode === 'legacy' ? 0 : spansPerSecond * asked.stagedShare
  const direct = spansPerSecond - staged
  const size = (asked.bytesPerSpan ?? cost.decodedBytes) / cost.decodedBytes
  // For spans smaller than the measured ones, the plan does not reduce the measured CPU cost, because no bench measured which part of this
  // cost is independent of the size.
  const dearness = Math.max(1, size)
  const coresOf = (rate: number, ms: number) => (rate * ms * dearness) / 1e6

  const replicasOf = (rate: number, ms: number) => Math.max(leastReplicas, Math.ceil(coresOf(rate, ms) / coresOfProcess / utilisation))
  const writers = replicasOf(spansPerSecond, cost.writer.ms)
  const propagators = replicasOf(staged, cost.propagator.ms)
  const partitionsOf = (rate: number, readers: number) =>
    Math.max(design.leastPartitions, Math.ceil(rate / design.spansPerPartition), rate === 0 ? 0 : readers)
  const partitions = { direct: partitionsOf(direct, writers), staging: partitionsOf(staged, propagators) }

  const inserts =
    insertsOf(direct, partitions.direct, cost.recordBytes * size) + insertsOf(staged, partitions.staging, cost.stagedBytes * size)
  // `dual` writes both sets of tables. An insert into events_full also fills events_core. Each chunk adds a ledger row.
  const partsOfChunk = { legacy: 2, dual: 4, events_only: 3 }[writeMode]

  // A staged span is on the log twice.
  const logRate = direct * cost.recordBytes * size + staged * 2 * cost.stagedBytes * size
  const daySeconds = 86_400
  const log = {
    bytesPerSecond: logRate,
    diskBytes: (logRate * daySeconds * design.logRetentionDays * design.logReplicas) / diskFill,
  }
  const rowBytes = cost.rowBytes * size
  const engineCores = coresOf(spansPerSecond, cost.engine.ms)
  const servers = copies
  const store = {
    bytesPerMillionSpans: rowBytes * 1e6,
    diskBytes: (spansPerSecond * daySeconds * retentionDays * rowBytes * copies) / diskFill,
    servers,
  }
  const cores = {
    gateway: coresOf(spansPerSecond, cost.gateway.ms),
    writer: coresOf(spansPerSecond, cost.writer.ms),
    propagator: coresOf(staged, cost.propagator.ms),
    // Only one replica was measured, and each further replica is assumed to cost as much. Staged spans are sent twice.
    broker: coresOf(direct + 2 * staged, cost.broker.ms) * design.logReplicas,
    // Each replica runs all merges itself.
    columnStore: engineCores * copies,
  }
  const nodesOf = (used: number, share: number) => Math.ceil(used / share / coresPerNode)
  // The plan needs enough brokers for the bytes and for the CPU time.
  const byBytes = Math.ceil((logRate * design.logReplicas) / brokerBytesPerSecond)
  const brokers = Math.max(design.logReplicas, byBytes, nodesOf(cores.broker, utilisation))
  const nodes = {
    services: Math.max(leastReplicas, nodesOf(cores.gateway + cores.writer + cores.propagator, utilisation)),
    brokers,
    columnStore: copies * Math.max(1, nodesOf(engineCores, engineUtilisation)),
  }
  const all = nodes.services + nodes.brokers + nodes.columnStore
  return {
    cores,
    replicas: { gateway: replicasOf(spansPerSecond, cost.gateway.ms), writer: writers, propagator: propagators, brokers },
    partitions,
    insertsPerSecond: inserts,
    rowsPerInsert: spansPerSecond / inserts,
    partsPerMinute: inserts * 60 * partsOfChunk,
    log,
    store,
    nodes: { ...nodes, all },
    price: nodePrice === undefined ? null : nodePrice * all,
  }
}

/** A writer inserts when it has collected enough bytes, when its maximum waiting time has passed, or when a chunk is full. */
function insertsOf(rate: number, partitions: number, bytesPerSpan: number): number {
  const each = rate / partitions
  if (each === 0) return 0
  const fetchSeconds = Math.min(design.fetchMaxWaitSeconds, design.fetchMinBytes / (each * bytesPerSpan))
  // There are at most as many inserts as spans, because each insert has at least one span.
  return Math.min(rate, partitions * Math.max(1 / fetchSeconds, each / design.chunkMaxRows))
}
