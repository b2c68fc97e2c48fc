// Provides one broker for all suites of a run. The process that runs the suites starts the broker when the first suite requests it. The
// broker ends when that process ends, for any reason. Each suite prefixes its topics, groups and transactional ids, so that suites do not
// affect each other. A suite starts a separate broker if it kills or freezes the broker, or waits for the broker's own retention.
import { connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { temporaryDirectory } from '../temporary-directory.ts'
import { startKafkaCluster } from './cluster.ts'
import { sharedBrokerSocket } from './config.ts'
import type { KafkaCluster } from './kafka-cluster.ts'

type Answer = { readonly brokers: readonly string[] } | { readonly error: string }

export interface SharedBroker {
  /** Path of the socket to which suites connect. */
  readonly socket: string
  close(): Promise<void>
}

// The broker's retention deletes nothing by itself, because the conformance suite decides when records are old.
const startShared = () => startKafkaCluster({ properties: { 'log.retention.check.interval.ms': '300000' } })

/** Opens the socket. The broker starts only when a suite requests it. */
export async function serveSharedBroker(): Promise<SharedBroker> {
  const directory = await temporaryDirectory('svc-broker-')
  const socket = join(directory.path, 'socket')
  let starting: Promise<KafkaCluster> | undefined
  const server: Server = createServer({ allowHalfOpen: true }, connection => {
    connection.resume()
    starting ??= startShared()
    const answered = starting.then(
      ({ brokers }): Answer => ({ brokers }),
      (error: Error): Answer => ({ error: error.message }),
    )
    void answered.then(answer => connection.end(JSON.stringify(answer)))
    connection.on('error', () => {})
  })
  await new Promise<void>(listening => server.listen(socket, listening))
  server.unref()
  return {
    socket,
    async close() {
      server.close()
      const cluster = await starting?.catch(() => undefined)
      await cluster?.stop()
      await directory.remove()
    },
  }
}

/** A broker that its user cannot control. */
export type SharedKafka = Pick<KafkaCluster, 'brokers' | 'stop'>

/**
 * Returns the run's broker. Outside of a run it starts a broker. Throws an error that names what is missing.
 */
export async function sharedKafka(): Promise<SharedKafka> {
  const socket = sharedBrokerSocket()
  if (socket === undefined) return startShared()
  const answer = JSON.parse(await text(connect(socket))) as Answer
  if ('error' in answer) throw new Error(answer.error)
  return { brokers: answer.brokers, stop: async () => {} }
}
