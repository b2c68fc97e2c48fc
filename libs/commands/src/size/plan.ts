// Computes partitions, replicas, parts, log, disk, and nodes from a number of spans per second, based on benchmark results. All functions
// are pure.
import type { WriteMode } from '@svc-server/modes/write-mode'
import { costOf, type Measured } from './measured.ts'

export interface Asked {
  readonly spansPerSecond: number
  /** Size of a span as protobuf in bytes, including a share of its resource and scope. */
  readonly bytesPerSpan?: number | undefined
  readonly retentionDays: number
  readonly writeMode: WriteMode
  /** Share of spans that wait for their window, which are spans of older SDKs and spans with header 3. */
  readonly stagedShare: number
  /** Number of copies of the column store's data. */
  readonly copies: number
  readonly coresPerNode: number
  /** Price of a node, in any currency and period. */
  readonly nodePrice?: number | undefined
}

/** Defaults of the services. A test compares these values with the settings. */
export const design = {
  /** Spans per second for one partition, as the chart recommends. */
  spansPerPartition: 5_000,
  leastPartitions: 8,
  fetchMaxWaitSeconds: 1,
  fetchMinBytes: 24 * 1024 * 1024,
  chunkMaxRows: 40_000,
  logRetentionDays: 7,
  logReplicas: 3,
}

/** Planning assumptions that were not measured. The command prints these assumptions as well. */
export const assumptions = {
  /** The work of a process is unevenly distributed among its threads, so the plan assumes that a process uses one core. */
  coresOfProcess: 1,
  /** Planned CPU utilization. The remaining CPU time covers bursts and the loss of a node. */
  utilisation: 0.6,
  /** Planned CPU utilization of the column store, which is lower because merges come in bursts and readers need a share. */
  engineUtilisation: 0.5,
  /** Bytes per second written to one broker, including the copies that the broker keeps as a replica. */
  brokerBytesPerSecond: 100e6,
  /** Planned fill level of disks. A merge needs as much free space as the largest part. */
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
  // The plan assigns small spans the CPU cost of the measured spans, because the part of the cost that does not depend on the size was not
  // measured.
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
  // Mode dual writes both sets of tables. Each insert into the full table also fills the core table, and each chunk adds a
  // ledger row.
  const partsOfChunk = { legacy: 2, dual: 4, events_only: 3 }[writeMode]

  // A staged span is on the log twice: first as received, and later filled in.
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
    // The plan assumes that each replica of a partition costs as much as the single measured replica. Staged spans are sent to the broker
    // twice.
    broker: coresOf(direct + 2 * staged, cost.broker.ms) * design.logReplicas,
    // Each copy of the data runs all merges itself.
    columnStore: engineCores * copies,
  }
  const nodesOf = (used: number, share: number) => Math.ceil(used / share / coresPerNode)
  // The number of brokers is the larger of the numbers that bytes and CPU require.
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
 * The writer stores a partition's spans when enough bytes wait, after the longest wait, or when a chunk is full, whichever
 * comes first.
 */
function insertsOf(rate: number, partitions: number, bytesPerSpan: number): number {
  const each = rate / partitions
  if (each === 0) return 0
  const fetchSeconds = Math.min(design.fetchMaxWaitSeconds, design.fetchMinBytes / (each * bytesPerSpan))
  // At low rates, the number of inserts is at most the number of spans.
  return Math.min(rate, partitions * Math.max(1 / fetchSeconds, each / design.chunkMaxRows))
}
