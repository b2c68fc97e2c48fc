// From spans a second to partitions, replicas, parts, log, disk and nodes: arithmetic on what the benches measured. Pure.
import type { WriteMode } from '@svc-server/modes/write-mode'
import { costOf, type Measured } from './measured.ts'

export interface Asked {
  readonly spansPerSecond: number
  /** Bytes of a span as protobuf, its share of resource and scope included. */
  readonly bytesPerSpan?: number | undefined
  readonly retentionDays: number
  readonly writeMode: WriteMode
  /** Of spans that wait for their window: older SDKs and header 3. */
  readonly stagedShare: number
  /** Copies of the column store's rows. */
  readonly copies: number
  readonly coresPerNode: number
  /** Of a node, in whatever currency and time. */
  readonly nodePrice?: number | undefined
}

/** What the services do by default; a test holds these to their settings. */
export const design = {
  /** The chart's advice for a partition of spans. */
  spansPerPartition: 5_000,
  leastPartitions: 8,
  fetchMaxWaitSeconds: 1,
  fetchMinBytes: 24 * 1024 * 1024,
  chunkMaxRows: 40_000,
  logRetentionDays: 7,
  logReplicas: 3,
}

/** What is planned with, not measured: said by the command, too. */
export const assumptions = {
  /** Threads of a process share the work unevenly: one of them is planned with one core. */
  coresOfProcess: 1,
  /** Cores are used to so much: the rest is for bursts and the loss of a node. */
  utilisation: 0.6,
  /** The column store's: merges come in bursts, and readers want some. */
  engineUtilisation: 0.5,
  /** Written to one broker, with what it copies. */
  brokerBytesPerSecond: 100e6,
  /** Disks are filled no further; a merge wants as much as the largest part. */
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
  // Smaller spans than measured are not planned to cost less: what a span costs whatever its size was not measured apart.
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
  // Of dual both sets of tables; the core table is filled by each insert into the full one, and each chunk has its line in the ledger.
  const partsOfChunk = { legacy: 2, dual: 4, events_only: 3 }[writeMode]

  // What is staged lies on the log twice: as it came, and filled in.
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
    // Each replica of a partition is taken to cost what its only one does; staged spans come to it twice.
    broker: coresOf(direct + 2 * staged, cost.broker.ms) * design.logReplicas,
    // Each copy merges for itself.
    columnStore: engineCores * copies,
  }
  const nodesOf = (used: number, share: number) => Math.ceil(used / share / coresPerNode)
  // By what they write, or by what it takes them: whatever wants more.
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

/** A partition is stored when so many bytes wait, after its longest wait, or when a chunk is full: whatever comes first. */
function insertsOf(rate: number, partitions: number, bytesPerSpan: number): number {
  const each = rate / partitions
  if (each === 0) return 0
  const fetchSeconds = Math.min(design.fetchMaxWaitSeconds, design.fetchMinBytes / (each * bytesPerSpan))
  // A trickle has no more inserts than spans.
  return Math.min(rate, partitions * Math.max(1 / fetchSeconds, each / design.chunkMaxRows))
}
