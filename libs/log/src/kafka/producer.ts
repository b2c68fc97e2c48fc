// One idempotent kafkajs producer. After any rejected send, the log discards the producer: its sequence numbers are unreliable, and
// kafkajs's internal retries could still write the records.
import type { Message, Producer, RecordMetadata } from 'kafkajs'
import { type ClientTuning, type Connection, createClient, partitionGiven } from './client.ts'

export interface OwnedProducer {
  /** Number of sends in flight. */
  inFlight: number
  readonly isGone: boolean
  connect(): Promise<void>
  send(topic: string, messages: Message[], timeoutMs: number): Promise<readonly RecordMetadata[]>
  /** Closes the connections, and rejects the sends in flight with this error. */
  giveUp(why: Error): Promise<void>
  /** Waits until nothing is in flight, and then disconnects. */
  close(): Promise<void>
}

/**
 * Returns timeouts that fit into an append's time budget. If requests fail quickly, retries continue for as long as a leader election
 * takes. A request to a hanging broker times out after about a third of the budget.
 */
const tuningFor = (ackTimeoutMs: number): ClientTuning => ({
  requestTimeoutMs: Math.max(200, Math.round(ackTimeoutMs * 0.375)),
  connectionTimeoutMs: Math.max(200, Math.round(ackTimeoutMs * 0.25)),
  retry: { initialRetryTime: 50, factor: 0.2, multiplier: 2, maxRetryTime: Math.max(50, Math.round(ackTimeoutMs / 20)), retries: 25 },
})

export function createProducer(connection: Connection, ackTimeoutMs: number, sendsInFlight: number): OwnedProducer {
  const tuning = tuningFor(ackTimeoutMs)
  const { kafka, sockets } = createClient(connection, tuning)
  const producer: Producer = kafka.producer({
    idempotent: true,
    maxInFlightRequests: sendsInFlight,
    allowAutoTopicCreation: false,
    retry: tuning.retry,
    createPartitioner: partitionGiven,
  })
  const gone = Promise.withResolvers<never>()
  gone.promise.catch(() => {})
  let isGone = false
  let connected: Promise<void> | undefined
  const connect = (): Promise<void> => (connected ??= producer.connect())

  return {
    inFlight: 0,
    get isGone() {
      return isGone
    },
    connect: () => Promise.race([connect(), gone.promise]),
    send(topic, messages, timeoutMs) {
      const sent = connect().then(() => producer.send({ topic, acks: -1, timeout: timeoutMs, messages }))
      return Promise.race([sent, gone.promise])
    },
    async giveUp(why) {
      isGone = true
      gone.reject(why)
      sockets.cut()
      await producer.disconnect().catch(() => {})
    },
    async close() {
      isGone = true
      await producer.disconnect().catch(() => {})
    },
  }
}
