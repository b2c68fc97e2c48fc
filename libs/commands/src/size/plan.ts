// Computes partitions, replicas, parts, log, disk and nodes from a number of spans per second and the results of benches.
import type { WriteMode } from '@svc-server/modes/write-mode'
import { costOf, type Measured } from './measured.ts'

export interface Asked {
  readonly spansPerSecond: number
  /** Size of a span as protobuf in bytes, including its share of the resource and scope. */
  readonly bytesPerSpan?: number | undefined
  readonly retentionDays: number
  readonly writeMode: WriteMode
  /** Share of spans that wait for a window: spans of older SDKs, and spans whose request has the ingestion version 3. */
  readonly stagedShare: number
  /** Number of copies of the column store's data. */
  readonly copies: number
  readonly coresPerNode: number
  /** Price of a node, in any currency and for any period. */
  readonly nodePrice?: number | undefined
}

/** Values that the plan assumes, equal to the default settings of the services. A test compares the two. */
export const design = {
  /** Spans per second on one partition, as the chart recommends. */
  spansPerPartition: 5_000,
  leastPartitions: 8,
  fetchMaxWaitSeconds: 1,
  fetchMinBytes: 24 * 1024 * 1024,
  chunkMaxRows: 40_000,
  logRetentionDays: 7,
  logReplicas: 3,
}

/** Assumptions of the plan that were not measured. The command also prints them. */
export const assumptions = {
  /** The plan assumes that a process uses one core, because its threads have unequal work. */
  coresOfProcess: 1,
  /** CPU utilization in the plan. The unused CPU time is for bursts and for the loss of a node. */
  utilisation: 0.6,
  /**
   * CPU utilization of the column store in the plan. The column store's utilization is lower, because merges come in bursts and reads need
   * a share.
   */
  engineUtilisation: 0.5,
  /** Bytes per second written to one broker, including those that the broker keeps as a replica. */
  brokerBytesPerSecond: 100e6,
  /** Share of the disks that the plan fills. A merge needs as much free space as its largest part. */
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
  // The plan assigns the measured CPU cost to small spans as well, because no bench measured the part of the cost that is independent of
  // the size.
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
  // The mode dual writes both sets of tables. An insert into events_full also fills events_core, and each chunk adds a ledger row.
  const partsOfChunk = { legacy: 2, dual: 4, events_only: 3 }[writeMode]

  // A staged span is on the log twice: as received, and later with its trace's attributes.
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
    // The bench measured only one replica of a partition. The plan assumes that each further replica costs as much as the measured one.
    // Staged spans are sent to the broker twice.
    broker: coresOf(direct + 2 * staged, cost.broker.ms) * design.logReplicas,
    // Each replica of the data runs all merges itself.
    columnStore: engineCores * copies,
  }
  const nodesOf = (used: number, share: number) => Math.ceil(used / share / coresPerNode)
  // The plan has enough brokers for both the bytes and the CPU time.
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

/**
 * A writer stores the spans of a partition when enough bytes wait, after the longest wait, or when a chunk is full, whichever comes first.
 */
function insertsOf(rate: number, partitions: number, bytesPerSpan: number): number {
  const each = rate / partitions
  if (each === 0) return 0
  const fetchSeconds = Math.min(design.fetchMaxWaitSeconds, design.fetchMinBytes / (each * bytesPerSpan))
  // At low rates, the plan has at most as many inserts as spans.
  return Math.min(rate, partitions * Math.max(1 / fetchSeconds, each / design.chunkMaxRows))
}
