// All suites of a test run share one broker. The process that runs the suites starts the broker at the first request, and the broker ends
// with this process. Each suite has its own prefix for topics, groups and transactional ids. A suite that kills or freezes its broker must
// start a broker of its own. So must a suite that waits for retention.
import { connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { temporaryDirectory } from '../temporary-directory.ts'
import { startKafkaCluster } from './cluster.ts'
import { sharedBrokerSocket } from './config.ts'
import type { KafkaCluster } from './kafka-cluster.ts'

type Answer = { readonly brokers: readonly string[] } | { readonly error: string }

export interface SharedBroker {
  readonly socket: string
  close(): Promise<void>
}

// The broker checks retention only every five minutes, because the conformance suite itself decides when records expire.
const startShared = () => startKafkaCluster({ properties: { 'log.retention.check.interval.ms': '300000' } })

/** Waits for requests of suites, and starts the broker at the first request. */
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

/** The broker that all suites share. A suite must not kill or pause this broker. */
export type SharedKafka = Pick<KafkaCluster, 'brokers' | 'stop'>

/**
 * Resolves with the shared broker of the test run, or with a new broker outside of a test run. If no broker can start, the error names what
 * the machine lacks.
 */
export async function sharedKafka(): Promise<SharedKafka> {
  const socket = sharedBrokerSocket()
  if (socket === undefined) return startShared()
  const answer = JSON.parse(await text(connect(socket))) as Answer
  if ('error' in answer) throw new Error(answer.error)
  return { brokers: answer.brokers, stop: async () => {} }
}
