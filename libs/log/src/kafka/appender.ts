// Appends: cut into units, spread over a small pool of lanes, answered within their budget whatever the brokers do.
import { AppError } from '@svc-server/errors'
import type { Logger } from '../embedded/logger.ts'
import type { NewRecord, RecordPosition } from '../port.ts'
import type { Connection } from './client.ts'
import { createLane } from './lane.ts'
import { createReachability, type Reachability } from './reachability.ts'
import { payloadBytesOf } from './record-size.ts'
import type { KafkaTopic } from './topics.ts'
import type { Cutter, Unit } from './units.ts'

export interface AppenderOptions {
  readonly connection: Connection
  readonly cutter: Cutter
  readonly ackTimeoutMs: number
  readonly maxQueuedBytes: number
  readonly producers: number
  readonly sendsInFlight: number
  readonly clock: () => number
  readonly logger: Logger
  readonly onTooLarge: (topic: KafkaTopic) => void
}

export interface Appender {
  readonly reachability: Reachability
  warm(): Promise<void>
  append(topic: KafkaTopic, records: readonly NewRecord[]): Promise<readonly RecordPosition[]>
  /** Ends when what was appended is answered. */
  close(): Promise<void>
}

const unreachable = (): AppError => new AppError('log_unavailable', 'No Kafka broker answers.', { reason: 'broker_unavailable' })

export function createAppender(options: AppenderOptions): Appender {
  const { ackTimeoutMs, maxQueuedBytes, cutter } = options
  let queuedBytes = 0

  const reachability = createReachability({
    brokers: options.connection.brokers,
    tls: options.connection.tls,
    logger: options.logger,
    onLost() {
      for (const lane of lanes) lane.fail(unreachable())
      for (const give of waiting) give(unreachable())
    },
  })
  const waiting = new Set<(error: AppError) => void>()
  const lanes = Array.from({ length: options.producers }, () =>
    createLane({
      ...options,
      onDoubt: () => reachability.doubt(),
      onAcknowledged: tookMs => reachability.observe(tookMs),
      onTooLarge: unit => options.onTooLarge(unit.topic),
      doubtAfterMs: () => reachability.doubtAfterMs(),
    }),
  )
  // Topics count on from each other, so that the first partitions of all topics do not share a lane.
  const firstLane = new Map<string, number>()
  const laneOf = ({ topic, partition }: Unit) => {
    let first = firstLane.get(topic.name)
    if (first === undefined) firstLane.set(topic.name, (first = firstLane.size))
    return lanes[(first + partition) % lanes.length]!
  }

  return {
    reachability,
    async warm() {
      await Promise.all(lanes.map(lane => lane.warm()))
    },

    append(topic, records) {
      const units = cutter.cut(topic, records)
      if (units.length === 0) return Promise.resolve([])
      if (reachability.lost) return Promise.reject(unreachable())
      const bytes = records.reduce((sum, record) => sum + payloadBytesOf(record), 0)
      // A single append above the limit goes alone, or it could never go.
      if (queuedBytes > 0 && queuedBytes + bytes > maxQueuedBytes) {
        return Promise.reject(
          new AppError('overloaded', `${queuedBytes} bytes wait for the brokers, ${maxQueuedBytes} may.`, {
            queuedBytes,
            limitBytes: maxQueuedBytes,
          }),
        )
      }
      return new Promise((resolve, reject) => {
        const deadline = performance.now() + ackTimeoutMs
        const positions: RecordPosition[] = []
        let open = units.length
        let answered = false
        const settle = (answer: () => void): void => {
          if (answered) return
          answered = true
          clearTimeout(timer)
          waiting.delete(fail)
          queuedBytes -= bytes
          answer()
        }
        const fail = (error: Error): void => settle(() => reject(error))
        const timer = setTimeout(() => {
          reachability.doubt()
          fail(new AppError('log_unavailable', `${topic.name} did not acknowledge within ${ackTimeoutMs} ms.`, { topic: topic.spec.name }))
        }, ackTimeoutMs)
        waiting.add(fail)
        queuedBytes += bytes
        for (const unit of units) {
          laneOf(unit).push({
            unit,
            deadline,
            isAnswered: () => answered,
            reject: fail,
            resolve(baseOffset, timestampMs) {
              for (const [i, index] of unit.indexes.entries()) {
                positions[index] = { topic: topic.spec.name, partition: unit.partition, offset: baseOffset + i, timestampMs }
              }
              open--
              if (open === 0) settle(() => resolve(positions))
            },
          })
        }
      })
    },

    async close() {
      await Promise.all(lanes.map(lane => lane.close()))
      reachability.close()
    },
  }
}
