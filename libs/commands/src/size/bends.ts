// Reports where a plan exceeds the tested design, with the exceeded number and the change that the design would need.
import { assumptions, design, type Plan } from './plan.ts'

export interface Bend {
  readonly where: string
  readonly says: string
}

/** The design was tested up to these values. The code does not limit any of them. */
const bounds = {
  /** New parts per second of one table on one server. Merges keep up with this number, but not with dozens. */
  insertsPerSecond: 10,
  /** The wait for a larger insert is part of the five seconds within which spans are promised to be readable. */
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
        ? `${Math.round(insertsPerSecond)} inserts a second into one table: SVC_WRITER_FETCH_MAX_WAIT_MS=${Math.ceil(wait * 10) / 10}s makes ${bounds.insertsPerSecond} of them.`
        : `${Math.round(insertsPerSecond)} inserts a second into one table. A wait of ${Math.ceil(wait)} s would make ${bounds.insertsPerSecond} of them, and is beyond what is promised for direct spans: ` +
            'inserts of several partitions would have to be joined, or the tables sharded.',
    )
  }
  if (serverCores > bounds.coresOfOneServer)
    bend(
      'column store',
      `A server of ${Math.ceil(serverCores)} cores, each copy. Tables are replicated here, and not sharded: above ${bounds.coresOfOneServer} cores rows have to be split by project, ` +
        'which writers, the audit and readers would have to know.',
    )
  if (serverDisk > bounds.diskOfOneServerBytes)
    bend(
      'disk',
      `${tb(serverDisk)} on each server: shorter retention, a storage policy that moves older months to object storage, or shards.`,
    )
  const all = partitions.direct + partitions.staging
  // A writer knows the age of waiting records in its own partitions. For each partition of a different writer, it fetches one batch to
  // learn the age.
  const fetches = (all * (replicas.writer - 1)) / lagIntervalSeconds
  if (fetches > bounds.lagFetchesPerSecond)
    bend(
      'lag',
      `Every writer asks how old the backlog of every partition is (ADR 0032): with ${all} partitions and ${replicas.writer} writers up to ${Math.round(fetches)} fetches a second, ` +
        'of a batch each, while all of them have a backlog. Fewer and larger writers, or one that asks for all.',
    )
  if (replicas.brokers > bounds.brokers)
    bend(
      'log',
      `${replicas.brokers} brokers: their network carries each span once for each replica and reader, and rebalances touch all groups.`,
    )
  if (partitions.staging > design.leastPartitions)
    bend(
      'staged',
      `${partitions.staging} partitions of staged topics: they never change afterwards. Choose them for the peak, before the first span.`,
    )
  return found
}
