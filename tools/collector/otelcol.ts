// Runs two Collectors with the configuration that an operator would write. The first Collector replaces the gateway, and the second
// Collector replaces the writer.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type GuardedProcess, spawnGuarded } from '../../libs/dev-servers/src/guarded-process.ts'
import { freePort } from '../../libs/dev-servers/src/index.ts'
import { ensureProgram } from '../programs/programs.ts'

interface Place {
  readonly directory: string
  readonly brokers: readonly string[]
  readonly topic: string
}

async function start(name: string, directory: string, parts: object): Promise<GuardedProcess> {
  const [config, logFile] = [join(directory, `${name}.json`), join(directory, `${name}.log`)]
  const [[receiver], [exporter]] = [
    Object.keys((parts as { receivers: object }).receivers),
    Object.keys((parts as { exporters: object }).exporters),
  ]
  // With these settings, the Collector's telemetry about itself takes as little CPU time as possible.
  const telemetry = { metrics: { level: 'none' }, logs: { level: 'info' } }
  const service = { telemetry, pipelines: { traces: { receivers: [receiver], exporters: [exporter] } } }
  // JSON is valid YAML.
  writeFileSync(config, JSON.stringify({ ...parts, service }))
  writeFileSync(logFile, '')
  const command = [await ensureProgram('otelcol-kafka'), '--config', `file:${config}`]
  const child = await spawnGuarded({
    what: `the Collector (${name})`,
    command,
    logFile,
    readyLine: 'Everything is ready',
    orphanSignal: 'KILL',
  })
  await child.ready()
  return child
}

/**
 * Starts the Collector that replaces the gateway. The Collector has no queue. Like the gateway, it responds only after the brokers have
 * stored the data.
 */
export async function startFront({ directory, brokers, topic }: Place): Promise<{ readonly url: string; readonly child: GuardedProcess }> {
  const endpoint = `127.0.0.1:${await freePort()}`
  const child = await start(`front-${topic}`, directory, {
    receivers: { otlp: { protocols: { http: { endpoint } } } },
    exporters: { kafka: { brokers, traces: { topic }, producer: { required_acks: 'all' }, sending_queue: { enabled: false } } },
  })
  return { url: `http://${endpoint}`, child }
}

export type Compression = 'none' | 'lz4'

/**
 * Starts the Collector that replaces the writer. The Collector uses the batch sizes that the README of the ClickHouse exporter recommends.
 * When the exporter is slow and its queue is full, the Collector's Kafka receiver waits.
 */
export function startBack({ directory, brokers, topic }: Place, endpoint: string, compress: Compression): Promise<GuardedProcess> {
  return start(`back-${topic}`, directory, {
    receivers: { kafka: { brokers, traces: { topics: [topic] }, group_id: topic, initial_offset: 'earliest', session_timeout: '60s' } },
    exporters: {
      clickhouse: {
        endpoint,
        compress,
        create_schema: false,
        timeout: '60s',
        sending_queue: { sizer: 'items', queue_size: 50_000, block_on_overflow: true, batch: { min_size: 8192, flush_timeout: '1s' } },
      },
    },
  })
}
