// GET /api/ui/system/status: data about the installation that every signed-in person may see.
import { status } from '@svc-server/api/web-system/operations'
import type { EventLog } from '@svc-server/log'
import { topicNames } from '@svc-server/modes/names'
import { completenessPaths } from '@svc-server/stream/completeness'
import { handle, reply } from '../../request/handler.ts'

type Log = Pick<EventLog, 'describe' | 'lag'>

interface LogStatus {
  readonly backlog: readonly { readonly group: string; readonly topic: string; readonly records: number; readonly oldestMs: number }[]
  readonly deadLetters: number
}

/** Many pages refresh at once, and each look costs the brokers some requests. */
const maxAgeMs = 5_000
const looks = new WeakMap<Log, { readonly atMs: number; readonly status: Promise<LogStatus | null> }>()

/** By group and topic, largest backlog first. */
async function logStatus(log: Log): Promise<LogStatus> {
  const [lag, topics] = await Promise.all([log.lag(), log.describe()])
  const groups = Map.groupBy(lag, ({ group, topic }) => `${group} ${topic}`)
  const backlog = Array.from(groups.values(), partitions => ({
    group: partitions[0]!.group,
    topic: partitions[0]!.topic,
    records: partitions.reduce((sum, { lagRecords }) => sum + lagRecords, 0),
    oldestMs: Math.round(partitions.reduce((oldest, { lagMs }) => Math.max(oldest, lagMs), 0)),
  }))
  const letters = topics.find(({ spec }) => spec.name === topicNames.deadLetter)?.partitions ?? []
  return {
    backlog: backlog.sort((a, b) => b.records - a.records || a.group.localeCompare(b.group)),
    deadLetters: letters.reduce((sum, { records }) => sum + records, 0),
  }
}

function recentLogStatus(log: Log, nowMs: number): Promise<LogStatus | null> {
  const last = looks.get(log)
  if (last !== undefined && Math.abs(nowMs - last.atMs) < maxAgeMs) return last.status
  const look = { atMs: nowMs, status: logStatus(log).catch(() => null) }
  looks.set(log, look)
  return look.status
}

export const systemStatus = handle(status, async (_, deps) => {
  const nowMs = deps.clock()
  const [ofLog, ...paths] = await Promise.all([
    recentLogStatus(deps.log, nowMs),
    ...completenessPaths.map(async path => ({ path, completeUntil: (await deps.completeUntil([path])) ?? null })),
  ])
  const { backlog, deadLetters } = ofLog ?? { backlog: null, deadLetters: null }
  return reply(200, {
    ...{ version: deps.version, writeMode: deps.writeMode, at: new Date(nowMs).toISOString(), paths },
    ...{ backlog: backlog && [...backlog], deadLetters },
  })
})
