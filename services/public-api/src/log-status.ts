// The log's backlog and dead letters, for the web app's page about the installation. They are cached, because each lookup sends several
// requests to the brokers.
import type { EventLog } from '@svc-server/log'
import { topicNames } from '@svc-server/modes/names'
import { createPatientRefresh } from '@svc-server/service/health'

interface LogStatus {
  /** Largest first. */
  readonly backlog: readonly { readonly group: string; readonly topic: string; readonly records: number; readonly oldestMs: number }[]
  readonly deadLetters: number
}

interface LogStatusOptions {
  readonly log: Pick<EventLog, 'describe' | 'lag'>
  readonly clock: () => number
}

/** Null while the log does not respond. */
export type ReadLogStatus = () => Promise<LogStatus | null>

const maxAgeMs = 5_000

async function look(log: LogStatusOptions['log']): Promise<LogStatus> {
  const [lag, topics] = await Promise.all([log.lag(), log.describe()])
  const groups = Map.groupBy(lag, ({ group, topic }) => `${group} ${topic}`)
  const backlog = Array.from(groups.values(), partitions => ({
    group: partitions[0]!.group,
    topic: partitions[0]!.topic,
    records: partitions.reduce((sum, { lagRecords }) => sum + lagRecords, 0),
    oldestMs: Math.round(partitions.reduce((oldest, { lagMs }) => Math.max(oldest, lagMs), 0)),
  }))
  const deadLetters = topics.find(({ spec }) => spec.name === topicNames.deadLetter)?.partitions ?? []
  return {
    backlog: backlog.sort((a, b) => b.records - a.records || a.group.localeCompare(b.group)),
    deadLetters: deadLetters.reduce((sum, { records }) => sum + records, 0),
  }
}

export function createLogStatus({ log, clock }: LogStatusOptions): ReadLogStatus {
  let status: LogStatus | null = null
  let lookedMs = Number.NEGATIVE_INFINITY
  async function refresh(): Promise<void> {
    status = await look(log)
  }
  const refreshed = createPatientRefresh(refresh, () => {
    status = null
  })
  return async () => {
    if (Math.abs(clock() - lookedMs) >= maxAgeMs) {
      lookedMs = clock()
      await refreshed()
    }
    return status
  }
}
