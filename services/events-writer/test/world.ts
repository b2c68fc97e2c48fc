// Runs a writer on the real engine and the real embedded log.
import { createHash, randomUUID } from 'node:crypto'
import type { ColumnStore } from '@svc-server/column-store/port'
import { checkConservation } from '@svc-server/conservation/check/check'
import type { ConservationReport } from '@svc-server/conservation/check/report'
import type { Engine } from '@svc-server/embedded-engine'
import { freshThreads } from '@svc-server/fairness/worker-pool'
import type { TopicSpec } from '@svc-server/log'
import { type EmbeddedLog, openEmbeddedLog } from '@svc-server/log/embedded'
import { groupNames, topicNames } from '@svc-server/modes/names'
import type { WriteMode } from '@svc-server/modes/write-mode'
import type { CatalogSnapshot } from '@svc-server/pricing/snapshot'
import { type DeadLetter, decodeDeadLetter } from '@svc-server/schema/dead-letter'
import { type ContentEncoding, encodeSpanBatch } from '@svc-server/schema/span-batch'
import { topicSpecs } from '@svc-server/schema/topics'
import { loadSettings } from '@svc-server/service/configuration'
import { createHealth, type Health } from '@svc-server/service/health'
import type { Service } from '@svc-server/service/lifecycle'
import { createLogger } from '@svc-server/service/logs'
import { createMetricRegistry } from '@svc-server/service/metrics'
import {
  attributes,
  createKeptThreads,
  encodeTraceRequest,
  type KeyValue,
  metricSum,
  temporaryDirectory,
  waitFor,
} from '@svc-server/testkit'
import { createEventsWriter, type WriterDeps } from '../src/app.ts'
import type { Destinations } from '../src/destinations/destination.ts'
import { type WriterConfig, writerConfig, writerVariables } from '../src/settings.ts'
import { createTestStore } from './test-store.ts'

export { password, startTestEngine } from './test-store.ts'

const logger = createLogger({ service: 'test', level: 'silent' })
export const projectId = 'project-1'

export interface RunningWriter {
  readonly service: Service
  readonly health: Health
  readonly bugs: unknown[]
  metric(name: string, labels?: string): Promise<number>
}

export interface World {
  readonly columnStore: ColumnStore
  readonly log: EmbeddedLog
  send(spans: SpansOptions): Promise<number>
  append(topic: string, value: Uint8Array, partition?: number): Promise<void>
  writer(options?: {
    log?: EmbeddedLog
    columnStore?: ColumnStore
    config?: Partial<WriterConfig>
    destinations?: Destinations
    catalog?: CatalogSnapshot
    onDeleted?: WriterDeps['onDeleted']
    lagIntervalMs?: number
  }): RunningWriter
  settled(timeoutMs?: number): Promise<void>
  backlog(): Promise<number>
  /** Counts the rows without FINAL. A row that was stored twice therefore counts twice. */
  counts(): Promise<{ full: number; core: number; distinct: number }>
  deadLetters(): Promise<DeadLetter[]>
  check(): Promise<ConservationReport>
  close(): Promise<void>
}

export interface SpansOptions {
  readonly count: number
  /** Start of the first span. Each further span starts `stepMs` after the previous span. */
  readonly startMs?: number
  readonly stepMs?: number
  readonly partition?: number
  readonly seed?: string
  readonly encoding?: ContentEncoding
  readonly projectId?: string
  /** If absent, the record has no mode. */
  readonly writeMode?: WriteMode
  readonly more?: readonly KeyValue[]
}

/** All waits are short, because these tests check only the order of events. */
const testConfig: Partial<WriterConfig> = {
  fetchMinBytes: 1,
  fetchMaxWaitMs: 20,
  retryMinMs: 5,
  retryMaxMs: 50,
  retryBudgetMs: 30_000,
  pauseMs: 20,
  haltedPauseMs: 20,
  ledgerAuditMs: 1_000,
  auditShare: 1,
  drainGraceMs: 200,
}

export const now = Date.UTC(2026, 10, 21, 12)

export interface WorldOptions extends Partial<TopicSpec> {
  readonly name?: string
  readonly writeMode?: WriteMode
  /** Interval of the ledger audit and the row audit. A test that waits for an audit sets a short interval. */
  readonly auditMs?: number
}

/** Opens a world. `shared` is a column store of the caller, which this world does not close. */
export async function createWorld(
  engine: Engine,
  { writeMode = 'events_only', auditMs, ...topics }: WorldOptions = {},
  clock: () => number = Date.now,
  shared?: ColumnStore,
): Promise<World> {
  const columnStore = shared ?? (await createTestStore(engine))
  const directory = await temporaryDirectory('svc-writer-log-')
  const specs = topicSpecs({ embedded: true, enabledReaders: [groupNames.writer, groupNames.ledger] })
  const log = await openEmbeddedLog({
    directory: directory.path,
    clock,
    topics: specs.map(spec => (spec.name === topics.name ? { ...spec, ...topics } : spec)),
  })
  const writers: RunningWriter[] = []

  const ofWriter: readonly string[] = [groupNames.writer, groupNames.ledger]
  const backlog = async () =>
    (await log.lag()).filter(({ group }) => ofWriter.includes(group)).reduce((sum, { lagRecords }) => sum + lagRecords, 0)

  return {
    columnStore,
    log,
    backlog,

    async append(topic, value, partition = 0) {
      await log.append(topic, [{ key: null, value, partition }])
    },

    async send(options) {
      await log.append(topicNames.direct, [{ key: null, value: spanBatch(options), partition: options.partition ?? 0 }])
      return options.count
    },

    writer({ log: otherLog, columnStore: otherStore, config, destinations, catalog, onDeleted, lagIntervalMs } = {}) {
      const metrics = createMetricRegistry({ runtime: false })
      const health = createHealth()
      const bugs: unknown[] = []
      const service = createEventsWriter(
        {
          ...writerConfig(loadSettings([writerVariables], {}, { service: 'test', profile: 'embedded' }).of(writerVariables)),
          ...testConfig,
          writeMode,
          ...(auditMs === undefined ? {} : { ledgerAuditMs: auditMs }),
          ...config,
        },
        {
          log: otherLog ?? log,
          columnStore: otherStore ?? columnStore,
          logger,
          metrics,
          health,
          clock: Date.now,
          onBug: error => bugs.push(error),
          ...(destinations ? { destinations } : {}),
          ...(catalog ? { catalog: () => catalog } : {}),
          threads: createKeptThreads(freshThreads, catalog?.version),
          onDeleted,
          lagIntervalMs,
        },
      )
      const writer = {
        service,
        health,
        bugs,
        metric: async (name: string, labels?: string) => metricSum(await metrics.render(), name, labels),
      }
      writers.push(writer)
      return writer
    },

    async settled(timeoutMs = 60_000) {
      // A writer with a defect never finishes. In this case, the test fails with the writer's error, because the error explains more than a
      // timeout does.
      const bug = () => writers.flatMap(({ bugs }) => bugs)[0]
      await waitFor(async () => bug() !== undefined || (await backlog()) === 0, { what: 'the writer to acknowledge everything', timeoutMs })
      if (bug() !== undefined) throw bug()
    },

    async counts() {
      const [row] = await columnStore.query<{ full: string; core: string; distinct: string }>(
        `SELECT (SELECT count() FROM events_full) AS full, (SELECT count() FROM events_core) AS core,
           (SELECT uniqExact(project_id, trace_id, span_id) FROM events_full) AS distinct`,
      )
      return { full: Number(row!.full), core: Number(row!.core), distinct: Number(row!.distinct) }
    },

    async deadLetters() {
      const deadLetters: DeadLetter[] = []
      const { partitions } = (await log.describe()).find(({ spec }) => spec.name === topicNames.deadLetter)!
      for (const { partition, lowWatermark } of partitions) {
        const { records } = await log.read(topicNames.deadLetter, partition, lowWatermark, 1e9)
        for (const { value } of records) deadLetters.push(decodeDeadLetter(value!))
      }
      return deadLetters
    },

    check() {
      const topics = [topicNames.direct, topicNames.overflow, topicNames.filled]
      return checkConservation({ log, columnStore, group: groupNames.writer, topics, writeMode })
    },

    async close() {
      for (const { service } of writers) await service.drain()
      await log.close()
      await directory.remove()
      if (shared !== undefined) return
      await columnStore.command(`DROP DATABASE ${columnStore.database}`)
      await columnStore.close()
    },
  }
}

export function spanBatch({
  count,
  startMs = now,
  stepMs = 1,
  seed = randomUUID(),
  encoding = 'identity',
  more = [],
  writeMode,
  projectId: ofProject = projectId,
}: SpansOptions): Buffer {
  const id = (index: number, bytes: number) =>
    Buffer.from(`${seed.replaceAll('-', '').slice(0, 8).padEnd(8, '0')}${index.toString(16).padStart(8, '0')}`.repeat(2)).subarray(0, bytes)
  const ofSeed = createHash('sha256').update(seed).digest('hex').slice(0, 12)
  const payload = encodeTraceRequest({
    resourceSpans: [
      {
        resource: { attributes: attributes({ 'service.name': 'test' }) },
        scopeSpans: [
          {
            scope: { name: 'test', version: '1' },
            spans: Array.from({ length: count }, (_, index) => ({
              traceId: id(Math.floor(index / 10), 16)
                .toString('hex')
                .slice(0, 32),
              // Each span id contains the seed, because the keys of the old tables have no trace id. Otherwise, two rows could have the
              // same key and version.
              spanId: `${ofSeed}${index.toString(16).padStart(4, '0')}`,
              name: `span ${index}`,
              startTimeUnixNano: String(BigInt(startMs + index * stepMs) * 1_000_000n),
              endTimeUnixNano: String(BigInt(startMs + index * stepMs + 5) * 1_000_000n),
              attributes: [
                ...attributes({ 'svc.observation.input': `question ${index}`, 'svc.observation.output': `answer ${index}` }),
                ...more,
              ],
            })),
          },
        ],
      },
    ],
  })
  return encodeSpanBatch({
    projectId: ofProject,
    apiKey: 'pk-test',
    sdkName: 'javascript',
    sdkVersion: '6.0.0',
    ingestionVersion: 4,
    receivedAtMs: now,
    ingestId: seed,
    contentEncoding: encoding,
    decodedBytes: payload.byteLength,
    spanCount: count,
    ...(writeMode === undefined ? {} : { writeMode }),
    payload,
    traceAttributes: null,
  })
}
