// Reports whether rows arrived recently (contract §4.6), for alarms of installations with constant traffic. The result is cached, because
// anyone can call the route without credentials.
import type { ColumnStore } from '@svc-server/column-store/port'
import type { WriteMode } from '@svc-server/modes/write-mode'

export interface RecentEventsOptions {
  readonly columnStore: Pick<ColumnStore, 'query'>
  readonly writeMode: WriteMode
  readonly clock: () => number
}

export type HasRecentEvents = () => Promise<boolean>

const recentMinutes = 3
const maxAgeMs = 5_000
const patienceSeconds = 5

/** Tables with their time columns, by which the engine skips old parts. */
const tablesOf = (writeMode: WriteMode): readonly (readonly [table: string, time: string])[] =>
  writeMode === 'events_only'
    ? [['events_core', 'start_time']]
    : [
        ['traces', 'timestamp'],
        ['observations', 'start_time'],
      ]

export function createRecentEvents({ columnStore, writeMode, clock }: RecentEventsOptions): HasRecentEvents {
  const sql = tablesOf(writeMode)
    .map(
      ([table, time]) => `(SELECT count() FROM (SELECT 1 FROM ${table} WHERE ${time} >= now() - INTERVAL ${recentMinutes} MINUTE LIMIT 1))`,
    )
    .join(' * ')
  let askedMs = Number.NEGATIVE_INFINITY
  /** While a query hangs, no second query is sent, because each query occupies a connection until its timeout. */
  let isAsking = false
  let answer: Promise<boolean> = Promise.resolve(false)

  async function ask(): Promise<boolean> {
    isAsking = true
    try {
      const [row] = await columnStore.query<{ readonly recent: string }>(
        `SELECT ${sql} AS recent SETTINGS max_execution_time = ${patienceSeconds}`,
      )
      return Number(row?.recent) > 0
    } finally {
      isAsking = false
    }
  }

  return () => {
    if (!isAsking && Math.abs(clock() - askedMs) >= maxAgeMs) {
      askedMs = clock()
      answer = ask()
      // Prevents an unhandled rejection. Callers that await the promise still get the error.
      answer.catch(() => {})
    }
    return answer
  }
}
