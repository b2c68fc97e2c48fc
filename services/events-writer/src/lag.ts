// Reports the age, in seconds, of the oldest record that is not stored yet. It does not report offsets, because operators cannot interpret
// them.
import type { EventLog, GroupLag, PartitionDescription } from '@svc-server/log'
import { groupNames } from '@svc-server/modes/names'
import type { Logger } from '@svc-server/service/logs'
import type { GaugeInstrument } from '@svc-server/service/metrics'
import type { writerMetrics } from './metrics.ts'

export interface TopicReader {
  readonly group: string
  readonly topics: readonly string[]
}

const isReadBy = (readers: readonly TopicReader[], { group, topic }: Pick<GroupLag, 'group' | 'topic'>): boolean =>
  readers.some(reader => reader.group === group && reader.topics.includes(topic))

export interface LagWatch {
  start(): void
  stop(): void
}

export interface LagWatchDeps {
  readonly log: EventLog
  readonly readers: readonly TopicReader[]
  readonly gauge: GaugeInstrument<(typeof writerMetrics)['lagSeconds']>
  readonly lost: GaugeInstrument<(typeof writerMetrics)['lostRecords']>
  readonly unread: GaugeInstrument<(typeof writerMetrics)['unreadRecords']>
  /** Called with a reason while records wait on a topic that this release does not read. Otherwise called with null. */
  readonly onUnread: (reason: string | null) => void
  readonly observe: (lags: readonly GroupLag[], askedAtMs: number, answeredAtMs: number) => void
  readonly clock: () => number
  /** Default: 5 s. */
  readonly intervalMs?: number | undefined
  readonly logger: Logger
}

export function watchLag({
  log,
  readers,
  gauge,
  observe,
  lost,
  unread,
  onUnread,
  clock,
  intervalMs = 5_000,
  logger,
}: LagWatchDeps): LagWatch {
  let timer: NodeJS.Timeout | undefined
  let said = ''

  async function refresh(): Promise<void> {
    const waiting = new Map<string, number>()
    const askedAtMs = clock()
    const lags = await log.lag()
    observe(lags, askedAtMs, clock())
    for (const lag of lags) {
      if (!isReadBy(readers, lag)) {
        if (isLeft(lag)) waiting.set(lag.topic, (waiting.get(lag.topic) ?? 0) + lag.lagRecords)
        continue
      }
      gauge.set({ topic: lag.topic, partition: lag.partition }, lag.lagMs / 1000)
    }
    say(waiting)
    // Only the embedded log reports lost records. On a cluster, `describe` is not called, because it costs a request to every broker.
    if (log.kind === 'embedded') for (const { spec, partitions } of await log.describe()) lost.set({ topic: spec.name }, lostOf(partitions))
  }
  const isLeft = ({ group }: GroupLag): boolean => group === groupNames.writer

  function say(waiting: ReadonlyMap<string, number>): void {
    const left = [...waiting].filter(([, records]) => records > 0)
    for (const [topic, records] of waiting) unread.set({ topic }, records)
    const text = left.map(([topic, records]) => `${records} on ${topic}`).join(', ')
    const reason = left.length === 0 ? null : `this release does not read records that wait for ${groupNames.writer}: ${text}`
    onUnread(reason)
    const topics = left.map(([topic]) => topic).join()
    if (topics !== said && reason !== null) logger.error({ unread: Object.fromEntries(left) }, `Unread records on the log: ${reason}`)
    said = topics
  }

  return {
    start() {
      refresh().catch(error => logger.warn({ err: error }, 'The lag of the log could not be read'))
      timer = setInterval(() => {
        refresh().catch(error => logger.warn({ err: error }, 'The lag of the log could not be read'))
      }, intervalMs)
      timer.unref()
    },
    stop: () => clearInterval(timer),
  }
}

const lostOf = (partitions: readonly PartitionDescription[]): number =>
  partitions.reduce((sum, { lost = [] }) => sum + lost.reduce((all, { from, to }) => all + to - from, 0), 0)
