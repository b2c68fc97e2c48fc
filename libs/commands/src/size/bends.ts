// Reports where a plan exceeds the tested design, and what an operator must then change.
import { assumptions, design, type Plan } from './plan.ts'

export interface Bend {
  readonly where: string
  readonly says: string
}

/** The highest tested values. No code enforces them. */
const bounds = {
  /**
   * Maximum number of inserts per second into one table of one server. Each insert creates a part, and merges cannot keep up with dozens of
   * new parts per second.
   */
  insertsPerSecond: 10,
  /** Maximum time that a span waits for its insert. This wait is a part of the five seconds within which spans must become readable. */
  longestWaitSeconds: 3,
  coresOfOneServer: 64,
  diskOfOneServerBytes: 50e12,
  lagFetchesPerSecond: 50,
  brokers: 12,
}

const lagIntervalSeconds = 5

const tb = (bytes: number) => `${(bytes / 1e12).toFixed(0)} TB`

export function bendsOf(plan: Plan): readonly Bend[] {
  const { partitions, insertsPerSecond, cores, store, replicas } = plan
  const found: Bend[] = []
  const bend = (where: string, says: string) => void found.push({ where, says })
  const serverCores = cores.columnStore / store.servers / assumptions.engineUtilisation
  const serverDisk = store.diskBytes / store.servers

  if (insertsPerSecond > bounds.insertsPerSecond) {
    const wait = (insertsPerSecond * design.fetchMaxWaitSeconds) / bounds.insertsPerSecond
    bend(
      'inserts',
      wait <= bounds.longestWaitSeconds
        ? `One table gets ${Math.round(insertsPerSecond)} inserts per second. SVC_WRITER_FETCH_MAX_WAIT_MS=${Math.ceil(wait * 10) / 10}s reduces them to ${bounds.insertsPerSecond}.`
        : `One table gets ${Math.round(insertsPerSecond)} inserts per second. A wait of ${Math.ceil(wait)} s would reduce them to ${bounds.insertsPerSecond}, but is longer than the delay that is promised for direct spans. ` +
            'Writers would have to combine the inserts of several partitions, or the tables would have to be divided among shards.',
    )
  }
  if (serverCores > bounds.coresOfOneServer)
    bend(
      'column store',
      `Each copy needs a server of ${Math.ceil(serverCores)} cores. Tables are replicated, but not sharded. Above ${bounds.coresOfOneServer} cores, rows would have to be split by project, ` +
        'which writers, the audit and readers do not support.',
    )
  if (serverDisk > bounds.diskOfOneServerBytes)
    bend(
      'disk',
      `Each server needs ${tb(serverDisk)}. Shorten the retention, divide the data among shards, or use a storage policy that moves older months to object storage.`,
    )
  const all = partitions.direct + partitions.staging
  // A writer knows only the backlog of its own partitions. To learn the age of another partition's backlog, the writer fetches a batch of
  // that partition.
  const fetches = (all * (replicas.writer - 1)) / lagIntervalSeconds
  if (fetches > bounds.lagFetchesPerSecond)
    bend(
      'lag',
      `Every writer looks up the age of every partition’s backlog (ADR 0032). While all ${all} partitions have a backlog, ${replicas.writer} writers fetch up to ${Math.round(fetches)} batches per second for this. ` +
        'Run fewer and larger writers, or let one writer look up the ages of all backlogs.',
    )
  if (replicas.brokers > bounds.brokers)
    bend(
      'log',
      `The log needs ${replicas.brokers} brokers. The brokers’ network carries each span once for each replica and each reader, and a rebalance interrupts all consumer groups.`,
    )
  if (partitions.staging > design.leastPartitions)
    bend(
      'staged',
      `The staged topics need ${partitions.staging} partitions. The number of partitions can never change, so choose it for the peak load before you send the first span.`,
    )
  return found
}
