// Sends units (parts of appends) to the brokers. Each partition and each producer has at most one send in flight. Units that arrive
// meanwhile wait for the partition's next send. With several sends in flight, a producer of kafkajs loses records: if the response to one
// send is lost, the next send has the same sequence number. The broker then takes the next send for a repetition, and acknowledges its
// records without writing them. In a measurement, this happened in 30 of 30 connection faults. A send contains records of only one
// partition. If a send contained several partitions, and the leader of one of these partitions moved between two attempts of the send,
// kafkajs could drop records and still report success.
import { AppError } from '@svc-server/errors'
import type { Logger } from '../embedded/logger.ts'
import type { Connection } from './client.ts'
import { withinDeadline } from './deadline.ts'
import { isRefusal, isTooLarge, reasonOf, toAppError } from './failures.ts'
import { createProducer, type OwnedProducer } from './producer.ts'
import { batchOverhead } from './record-size.ts'
import type { Unit } from './units.ts'

/** A unit that is waiting or in flight. */
export interface Waiting {
  readonly unit: Unit
  /** The value of performance.now() after which the caller no longer waits. */
  readonly deadline: number
  readonly isAnswered: () => boolean
  resolve(partition: number, baseOffset: number, timestampMs: number): void
  reject(error: Error): void
}

export interface DispatcherOptions {
  readonly connection: Connection
  readonly ackTimeoutMs: number
  readonly producers: number
  readonly sendsInFlight: number
  readonly clock: () => number
  readonly logger: Logger
  /** A send counts as doubtful if it gets no response within this time. */
  readonly doubtAfterMs: () => number
  /**
   * The dispatcher calls this function when a send is slow or has failed. The function checks whether any broker responds. The
   * function also moves records to other partitions, if the records have neither a key nor a fixed partition.
   */
  readonly onDoubt: (unit: Unit) => void
  readonly onAcknowledged: (unit: Unit, tookMs: number) => void
  /** Called when a broker has rejected a unit as too large, because an operator has lowered the batch limit. */
  readonly onTooLarge: (unit: Unit) => void
}

export interface Dispatcher {
  /**
   * Connects before the first append, with longer timeouts. A starting process can block its event loop for two seconds while it loads a
   * database. Short timeouts would then expire although the responses have arrived.
   */
  warm(): Promise<void>
  push(waiting: Waiting): void
  /** Removes all units that can go to a different partition from the queue of `unit`'s partition, and returns these units. */
  takeMovable(unit: Unit): Waiting[]
  /** Fails every waiting append, and discards all producers. */
  fail(error: AppError): void
  close(): Promise<void>
}

// Maximum number of records per send. With more records, kafkajs would only copy more data.
const maxRecords = 4000
// A send to a dead broker occupies its producer, but must not delay other sends. The dispatcher can therefore use one additional producer
// for each slow send. The maximum number of producers is `producers` times this factor.
const maxProducersFactor = 4

const warmMs = 15_000
const warmRetryMs = 100

const keyOf = ({ topic, partition }: Unit): string => `${topic.name}/${partition}`

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { ackTimeoutMs, sendsInFlight, clock, logger } = options
  /** Waiting units by partition. The partition with the oldest unit comes first. */
  const queues = new Map<string, Waiting[]>()
  const underWay = new Map<string, number>()
  const producers = new Set<OwnedProducer>()
  const leaving = new Set<Promise<void>>()
  const running = new Set<Promise<void>>()
  let slow = 0
  let scheduled = false

  const leave = (producer: OwnedProducer, how: Promise<void>): void => {
    producers.delete(producer)
    const left = how.finally(() => leaving.delete(left))
    leaving.add(left)
  }
  const limit = (): number => Math.min(options.producers + slow, options.producers * maxProducersFactor)
  const freeProducer = (): OwnedProducer | undefined => {
    for (const producer of producers) if (producer.inFlight < sendsInFlight) return producer
    if (producers.size >= limit()) return undefined
    const producer = createProducer(options.connection, ackTimeoutMs, sendsInFlight)
    producers.add(producer)
    return producer
  }

  /** Takes the oldest units that fit into one batch. Later units never overtake earlier units. */
  const takeGroup = (key: string): Waiting[] => {
    const queue = queues.get(key)!.filter(({ isAnswered }) => !isAnswered())
    const limitBytes = (queue[0]?.unit.topic.maxBatchBytes ?? 0) - batchOverhead
    let count = 0
    let bytes = 0
    let records = 0
    for (const { unit } of queue) {
      bytes += unit.bytes
      records += unit.messages.length
      if (count > 0 && (bytes > limitBytes || records > maxRecords)) break
      count++
    }
    // The partition moves to the end of the queues. Every other partition can then send before this partition sends again.
    queues.delete(key)
    if (count < queue.length) queues.set(key, queue.slice(count))
    return queue.slice(0, count)
  }

  const send = async (producer: OwnedProducer, group: readonly Waiting[]): Promise<void> => {
    const { unit } = group[0]!
    const { topic, partition } = unit
    const startedAt = performance.now()
    let isSlow = false
    const doubt = setInterval(() => {
      if (!isSlow) slow++
      isSlow = true
      options.onDoubt(unit)
      pump()
    }, options.doubtAfterMs())
    const patienceMs = Math.max(0, group.reduce((latest, { deadline }) => Math.max(latest, deadline), 0) - startedAt)
    try {
      const messages = group.flatMap(waiting => waiting.unit.messages)
      const sending = producer.send(topic.name, messages, ackTimeoutMs)
      const answers = await withinDeadline(sending, patienceMs, `An append to ${keyOf(unit)}`)
      const answer = answers.find(one => one.topicName === topic.name && one.partition === partition)
      if (answer?.baseOffset === undefined || Number(answer.baseOffset) < 0) {
        throw new AppError('log_unavailable', `The brokers did not report the offsets of ${keyOf(unit)}.`)
      }
      options.onAcknowledged(unit, performance.now() - startedAt)
      const appendedAt = Number(answer.logAppendTime ?? -1)
      let offset = Number(answer.baseOffset)
      for (const waiting of group) {
        waiting.resolve(partition, offset, appendedAt >= 0 ? appendedAt : clock())
        offset += waiting.unit.messages.length
      }
    } catch (error) {
      const answer = asUnavailable(toAppError(error, `Appending to ${keyOf(unit)}`))
      if (!producer.isGone) {
        leave(producer, producer.giveUp(answer))
        logger.warn(
          { topic: topic.spec.name, partition, reason: reasonOf(error) },
          'a send to the event log failed; its producer is replaced',
        )
      }
      if (isTooLarge(error)) options.onTooLarge(unit)
      else options.onDoubt(unit)
      for (const { reject } of group) reject(answer)
    } finally {
      clearInterval(doubt)
      if (isSlow) slow--
    }
  }

  const pump = (): void => {
    scheduled = false
    for (const key of [...queues.keys()]) {
      while (queues.has(key) && (underWay.get(key) ?? 0) < sendsInFlight) {
        const producer = freeProducer()
        if (!producer) return
        const group = takeGroup(key)
        if (group.length === 0) continue
        producer.inFlight++
        underWay.set(key, (underWay.get(key) ?? 0) + 1)
        const sending = send(producer, group).finally(() => {
          running.delete(sending)
          producer.inFlight--
          const left = underWay.get(key)! - 1
          if (left > 0) underWay.set(key, left)
          else underWay.delete(key)
          // Closes the idle producer if there are more producers than the limit. The limit is higher while sends are slow.
          if (producer.inFlight === 0 && !producer.isGone && producers.size > limit()) leave(producer, producer.close())
          pump()
        })
        running.add(sending)
      }
    }
  }

  /** If connecting fails, discards the producer and returns the reason. */
  const connected = async (producer: OwnedProducer): Promise<Error | undefined> => {
    try {
      await producer.connect()
      return undefined
    } catch (error) {
      const failure = error instanceof Error ? error : new Error(String(error))
      leave(producer, producer.giveUp(failure))
      return failure
    }
  }

  return {
    async warm() {
      for (const deadline = performance.now() + warmMs; ; ) {
        while (producers.size < options.producers) producers.add(createProducer(options.connection, ackTimeoutMs, sendsInFlight))
        const failures = await Promise.all([...producers].map(connected))
        const failure = failures.find(isRefusal) ?? failures.find(one => one !== undefined)
        if (failure === undefined) return
        if (isRefusal(failure) || performance.now() > deadline) throw failure
        await new Promise(resolve => setTimeout(resolve, warmRetryMs))
      }
    },
    push(waiting) {
      const key = keyOf(waiting.unit)
      const queue = queues.get(key)
      if (queue) queue.push(waiting)
      else queues.set(key, [waiting])
      if (scheduled) return
      // `pump` runs later in this iteration of the event loop, and also sends the units that arrive until then.
      scheduled = true
      setImmediate(pump)
    },
    takeMovable(unit) {
      const key = keyOf(unit)
      const queue = queues.get(key) ?? []
      const stay = queue.filter(waiting => !waiting.unit.isMovable)
      if (stay.length > 0) queues.set(key, stay)
      else queues.delete(key)
      return queue.filter(waiting => waiting.unit.isMovable)
    },
    fail(error) {
      const waiting = [...queues.values()].flat()
      queues.clear()
      for (const { reject } of waiting) reject(error)
      for (const producer of [...producers]) leave(producer, producer.giveUp(error))
    },
    async close() {
      while (queues.size > 0 || running.size > 0) {
        pump()
        await Promise.race([Promise.all(running), new Promise(resolve => setTimeout(resolve, 50))])
      }
      for (const producer of [...producers]) leave(producer, producer.close())
      await Promise.all(leaving)
    },
  }
}

// Converts any AppError to `log_unavailable`, because callers of `append` handle only three error codes. The message and the server's log
// contain the cause.
const asUnavailable = (error: Error): Error =>
  error instanceof AppError && error.code !== 'log_unavailable'
    ? new AppError('log_unavailable', error.message, error.params, { cause: error })
    : error
