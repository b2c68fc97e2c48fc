// Splits appends into units for the dispatcher. Settles each append within its time budget, even if no broker responds.
import { AppError } from '@svc-server/errors'
import type { Logger } from '../embedded/logger.ts'
import type { NewRecord, RecordPosition } from '../port.ts'
import type { Connection } from './client.ts'
import { createDispatcher, type Waiting } from './dispatcher.ts'
import { createReachability, type Reachability } from './reachability.ts'
import { payloadBytesOf } from './record-size.ts'
import type { KafkaTopic } from './topics.ts'
import type { Cutter } from './units.ts'

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
  close(): Promise<void>
}

const unreachable = (): AppError => new AppError('log_unavailable', 'No Kafka broker responds.', { reason: 'broker_unavailable' })

export function createAppender(options: AppenderOptions): Appender {
  const { ackTimeoutMs, maxQueuedBytes, cutter } = options
  let queuedBytes = 0

  const reachability = createReachability({
    brokers: options.connection.brokers,
    tls: options.connection.tls,
    logger: options.logger,
    onLost() {
      dispatcher.fail(unreachable())
      for (const give of waiting) give(unreachable())
    },
  })
  const waiting = new Set<(error: AppError) => void>()
  const dispatcher = createDispatcher({
    ...options,
    doubtAfterMs: () => reachability.doubtAfterMs(),
    onDoubt(unit) {
      reachability.doubt()
      cutter.avoid(unit.topic, unit.partition)
      for (const one of dispatcher.takeMovable(unit)) dispatcher.push(moved(one))
    },
    onAcknowledged(unit, tookMs) {
      reachability.observe(tookMs)
      cutter.trust(unit.topic, unit.partition)
    },
    onTooLarge: unit => options.onTooLarge(unit.topic),
  })
  const moved = (one: Waiting): Waiting => ({ ...one, unit: cutter.move(one.unit) ?? one.unit })

  return {
    reachability,
    async warm() {
      await dispatcher.warm()
    },

    append(topic, records) {
      const units = cutter.cut(topic, records)
      if (units.length === 0) return Promise.resolve([])
      if (reachability.lost) return Promise.reject(unreachable())
      const bytes = records.reduce((sum, record) => sum + payloadBytesOf(record), 0)
      // An append above the limit is accepted if nothing else waits, because it could never be sent otherwise.
      if (queuedBytes > 0 && queuedBytes + bytes > maxQueuedBytes) {
        return Promise.reject(
          new AppError('overloaded', `${queuedBytes} bytes wait for the brokers; the limit is ${maxQueuedBytes}.`, {
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
          dispatcher.push({
            unit,
            deadline,
            isAnswered: () => answered,
            reject: fail,
            resolve(partition, baseOffset, timestampMs) {
              for (const [i, index] of unit.indexes.entries()) {
                positions[index] = { topic: topic.spec.name, partition, offset: baseOffset + i, timestampMs }
              }
              open--
              if (open === 0) settle(() => resolve(positions))
            },
          })
        }
      })
    },

    async close() {
      await dispatcher.close()
      reachability.close()
    },
  }
}
