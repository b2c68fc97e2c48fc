// One idempotent producer of kafkajs and the connections it has. After any rejected send it is given up: its
// sequence numbers can no longer be trusted, and what kafkajs still retries inside must not write later than
// the answer says.
import type { Message, Producer, RecordMetadata } from 'kafkajs'
import { type ClientTuning, type Connection, createClient, partitionGiven } from './client.ts'

export interface OwnedProducer {
  /** Sends under way; one, except in a test that shows what more would do. */
  inFlight: number
  readonly isGone: boolean
  connect(): Promise<void>
  send(topic: string, messages: Message[], timeoutMs: number): Promise<readonly RecordMetadata[]>
  /** Cuts the connections and rejects the sends under way with this error. */
  giveUp(why: Error): Promise<void>
  /** Leaves when nothing is under way. */
  close(): Promise<void>
}

/**
 * Attempts inside the budget of an append: quick failures go on for as long as a new leader takes to be
 * elected, and a broker that hangs costs a good third of the budget.
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
