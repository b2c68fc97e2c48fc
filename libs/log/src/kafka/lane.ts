// A lane owns one idempotent producer and sends one group of records at a time, for one partition; what arrives meanwhile is the next group.
//
// One at a time, because kafkajs gives the sequence number of a send whose answer was lost to the next one in its queue, and the broker then
// acknowledges records that it never wrote (30 of 30 connection faults). For one partition, because when a leader moves between two tries of
// a send for several partitions, kafkajs leaves out those that went to a broker which has already answered, and reports success.
import { AppError } from '@svc-server/errors'
import type { Message, Producer } from 'kafkajs'
import type { Logger } from '../embedded/logger.ts'
import { type Client, type ClientTuning, type Connection, createClient } from './client.ts'
import { isTooLarge, reasonOf, toAppError } from './failures.ts'
import { BATCH_OVERHEAD } from './record-size.ts'
import type { Unit } from './units.ts'

/** A unit on its way, and whoever waits for it. */
export interface Waiting {
  readonly unit: Unit
  /** performance.now() after which nobody waits any more. */
  readonly deadline: number
  readonly isAnswered: () => boolean
  resolve(baseOffset: number, timestampMs: number): void
  reject(error: Error): void
}

export interface LaneOptions {
  readonly connection: Connection
  readonly ackTimeoutMs: number
  readonly sendsInFlight: number
  readonly clock: () => number
  readonly logger: Logger
  /** A send takes long, or has failed: somebody should see whether any broker is there. */
  readonly onDoubt: () => void
  readonly onAcknowledged: (tookMs: number) => void
  /** The broker's limit is lower than it was. */
  readonly onTooLarge: (unit: Unit) => void
  /** How long a send may take before it raises doubt. */
  readonly doubtAfterMs: () => number
}

export interface Lane {
  /** Connects ahead of the first append. */
  warm(): Promise<void>
  push(waiting: Waiting): void
  /** Answers everything with this error and gives the producer up. */
  fail(error: AppError): void
  close(): Promise<void>
}

// More only makes larger copies inside kafkajs; one send in flight with groups of this size is as fast as several.
const MAX_RECORDS = 4000

interface OwnedProducer {
  readonly producer: Producer
  readonly client: Client
  readonly connected: Promise<void>
  /** Rejects when the producer is given up, so that its send does not hold the lane. */
  readonly gone: Promise<never>
  readonly leave: (why: Error) => void
}

/**
 * Attempts inside the budget of an append: quick failures go on for as long as a new leader takes to be elected, and a broker that hangs
 * costs a good third of the budget.
 */
const tuningFor = (ackTimeoutMs: number): ClientTuning => ({
  requestTimeoutMs: Math.max(200, Math.round(ackTimeoutMs * 0.375)),
  connectionTimeoutMs: Math.max(200, Math.round(ackTimeoutMs * 0.25)),
  retry: { initialRetryTime: 50, factor: 0.2, multiplier: 2, maxRetryTime: Math.max(50, ackTimeoutMs / 10), retries: 12 },
})

export function createLane(options: LaneOptions): Lane {
  const { ackTimeoutMs, clock, logger } = options
  const tuning = tuningFor(ackTimeoutMs)
  let queue: Waiting[] = []
  let owned: OwnedProducer | undefined
  let inFlight = 0
  let scheduled = false
  const running = new Set<Promise<void>>()
  const leaving = new Set<Promise<unknown>>()

  const connect = (): OwnedProducer => {
    const client = createClient(options.connection, tuning)
    const producer = client.kafka.producer({
      idempotent: true,
      maxInFlightRequests: options.sendsInFlight,
      allowAutoTopicCreation: false,
      retry: tuning.retry,
      createPartitioner:
        () =>
        ({ message }) =>
          message.partition!,
    })
    const connected = producer.connect()
    const gone = Promise.withResolvers<never>()
    for (const promise of [connected, gone.promise]) promise.catch(() => {})
    return { producer, client, connected, gone: gone.promise, leave: gone.reject }
  }

  /** After any rejected send: its sequence numbers can no longer be trusted. A send that still runs inside finds its connections cut. */
  const giveUp = (given: OwnedProducer, why: Error): void => {
    if (owned === given) owned = undefined
    given.leave(why)
    given.client.sockets.cut()
    const left = given.producer.disconnect().catch(() => {})
    leaving.add(left)
    void left.finally(() => leaving.delete(left))
  }

  /** The oldest unit's partition, and everything for it that fits into one batch. Later units of a partition never overtake earlier ones. */
  const takeGroup = (): Waiting[] => {
    queue = queue.filter(({ isAnswered }) => !isAnswered())
    const first = queue[0]
    if (!first) return []
    const { topic, partition } = first.unit
    const limit = topic.maxBatchBytes - BATCH_OVERHEAD
    const group: Waiting[] = []
    const rest: Waiting[] = []
    let bytes = 0
    let records = 0
    let full = false
    for (const waiting of queue) {
      const { unit } = waiting
      const belongs = unit.topic === topic && unit.partition === partition
      full ||= belongs && group.length > 0 && (bytes + unit.bytes > limit || records + unit.messages.length > MAX_RECORDS)
      if (!belongs || full) {
        rest.push(waiting)
        continue
      }
      group.push(waiting)
      bytes += unit.bytes
      records += unit.messages.length
    }
    queue = rest
    return group
  }

  const send = async (group: readonly Waiting[]): Promise<void> => {
    const { topic, partition } = group[0]!.unit
    const using = (owned ??= connect())
    const startedAt = performance.now()
    const doubt = setInterval(options.onDoubt, options.doubtAfterMs())
    const deadline = Math.max(...group.map(waiting => waiting.deadline))
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(
      () => late.reject(new AppError('log_unavailable', `${topic.name}/${partition} was not acknowledged in time.`)),
      Math.max(0, deadline - startedAt),
    )
    try {
      const messages: Message[] = group.flatMap(({ unit }) => unit.messages)
      const sent = using.connected.then(() => using.producer.send({ topic: topic.name, acks: -1, timeout: ackTimeoutMs, messages }))
      sent.catch(() => {})
      const answer = (await Promise.race([sent, late.promise, using.gone])).find(one => one.topicName === topic.name && one.partition === partition)
      if (answer?.baseOffset === undefined || Number(answer.baseOffset) < 0)
        throw new AppError('log_unavailable', 'The brokers did not say where the records are.')
      options.onAcknowledged(performance.now() - startedAt)
      const appended = Number(answer.logAppendTime ?? -1)
      let offset = Number(answer.baseOffset)
      for (const { unit, resolve } of group) {
        resolve(offset, appended >= 0 ? appended : clock())
        offset += unit.messages.length
      }
    } catch (error) {
      const answer = asUnavailable(toAppError(error, `Appending to ${topic.name}/${partition}`))
      giveUp(using, answer)
      if (isTooLarge(error)) options.onTooLarge(group[0]!.unit)
      else options.onDoubt()
      logger.warn(
        { err: error, topic: topic.name, partition, reason: reasonOf(error) },
        'a send to the event log failed; its producer is replaced',
      )
      for (const { reject } of group) reject(answer)
    } finally {
      clearInterval(doubt)
      clearTimeout(timer)
    }
  }

  const pump = (): void => {
    scheduled = false
    while (inFlight < options.sendsInFlight) {
      const group = takeGroup()
      if (group.length === 0) return
      inFlight++
      const sending = send(group).finally(() => {
        running.delete(sending)
        inFlight--
        pump()
      })
      running.add(sending)
    }
  }

  return {
    async warm() {
      await (owned ??= connect()).connected
    },
    push(waiting) {
      queue.push(waiting)
      if (scheduled || inFlight >= options.sendsInFlight) return
      // What this turn of the event loop still brings goes along.
      scheduled = true
      setImmediate(pump)
    },
    fail(error) {
      for (const { reject } of queue.splice(0)) reject(error)
      if (owned) giveUp(owned, error)
    },
    async close() {
      while (queue.length > 0 || running.size > 0) {
        pump()
        await Promise.all(running)
      }
      if (owned) await owned.producer.disconnect().catch(() => {})
      await Promise.all(leaving)
    },
  }
}

// A caller of append knows three answers. What an operator must mend is in the message and in the log.
const asUnavailable = (error: Error): Error =>
  error instanceof AppError && error.code !== 'log_unavailable'
    ? new AppError('log_unavailable', error.message, error.params, { cause: error })
    : error
