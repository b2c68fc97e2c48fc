import { type KafkaCluster, startKafkaCluster } from '@svc-server/dev-servers/kafka'
import { loadSettings } from '@svc-server/service/configuration'
import { createLogger } from '@svc-server/service/logs'
import { waitFor } from '@svc-server/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openKafka } from '../src/event-log/kafka.ts'
import { kafkaSettings } from '../src/event-log/settings.ts'

const credentials = { user: 'svc', password: 'a password' }
let cluster: KafkaCluster
let env: Readonly<Record<string, string>>

beforeAll(async () => {
  cluster = await startKafkaCluster({ secured: { ...credentials, hostName: 'kafka.test' } })
  env = {
    SVC_KAFKA_BROKERS: cluster.brokers.join(','),
    SVC_KAFKA_SASL_MECHANISM: 'scram-sha-256',
    SVC_KAFKA_SASL_USERNAME: credentials.user,
    SVC_KAFKA_SASL_PASSWORD: credentials.password,
    SVC_KAFKA_TLS_ENABLED: 'true',
    SVC_KAFKA_TLS_CA_FILE: cluster.certificateFile!,
    SVC_KAFKA_TLS_SERVER_NAME: 'kafka.test',
  }
}, 600_000)
afterAll(() => cluster?.stop())

async function open(changed: Readonly<Record<string, string | undefined>> = {}) {
  const config = loadSettings([kafkaSettings], { ...env, ...changed }, { service: 'test' }).of(kafkaSettings)
  const startedAt = performance.now()
  try {
    const logger = createLogger({ service: 'test', level: 'silent' })
    return { log: await openKafka(config, { clientId: 'test', logger }), error: undefined }
  } catch (error) {
    return { log: undefined, error: error as Error & { code: string }, tookMs: performance.now() - startedAt }
  }
}

test.each(['scram-sha-256', 'plain'])('SASL %s over TLS: appends and reads a record', async mechanism => {
  const { log, error } = await open({ SVC_KAFKA_SASL_MECHANISM: mechanism, SVC_TOPIC_PREFIX: `${mechanism}.` })
  expect(error).toBeUndefined()
  try {
    const [position] = await log!.append('spans.direct', [{ key: null, value: Buffer.from(mechanism) }])
    const { records } = await log!.read('spans.direct', position!.partition, position!.offset, 1 << 20)
    expect(records.map(({ value }) => Buffer.from(value!).toString())).toEqual([mechanism])
    // A consumer and a transaction use separate connections, so the test also checks these connections.
    const committed = Promise.withResolvers<void>()
    const consumer = await log!.consume({
      ...{ group: 'svc.writer', topics: ['spans.direct'], minBytes: 1, maxWaitMs: 50, maxBatchBytes: 1 << 20, concurrency: 1 },
      onBatch: async (batch, context) => {
        await context.commitWith(batch.nextOffset, '', new Map([['dead-letter', [{ key: null, value: Buffer.from('letter') }]]]))
        committed.resolve()
        return { kind: 'done' }
      },
      onFatal: committed.reject,
    })
    await committed.promise
    await consumer.stop()
  } finally {
    await log!.close()
  }
})

test('F02 · detects over TLS that a broker stops responding, and that it returns', async () => {
  const { log } = await open({ SVC_TOPIC_PREFIX: 'silent.' })
  const append = () => log!.append('spans.direct', [{ key: null, value: Buffer.from('x') }])
  try {
    await append()
    cluster.pause(0)
    // A paused broker stops slowly, so it can still acknowledge an append that the client sends just after the pause.
    const outcome = () =>
      append().then(
        () => 'acknowledged',
        (error: { code?: string }) => error.code,
      )
    await expect.poll(outcome, { timeout: 30_000 }).toBe('log_unavailable')
    cluster.resume(0)
    // Appends fail until the log's probe finds that the broker responds again. The probe needs no authentication.
    await waitFor(
      () =>
        append().then(
          () => true,
          () => false,
        ),
      { what: 'an append to be acknowledged', everyMs: 50 },
    )
  } finally {
    cluster.resume(0)
    await log!.close()
  }
})

const nobody = { SVC_KAFKA_SASL_MECHANISM: undefined, SVC_KAFKA_SASL_USERNAME: undefined, SVC_KAFKA_SASL_PASSWORD: undefined }
const withoutTls = { SVC_KAFKA_TLS_ENABLED: 'false', SVC_KAFKA_TLS_CA_FILE: undefined, SVC_KAFKA_TLS_SERVER_NAME: undefined }

// The code is `config_invalid` if waiting cannot solve the problem. For a problem with a certificate or a listener, the code is
// `log_unavailable`. An operator can solve this problem while the process waits.
test.each<[what: string, changed: Readonly<Record<string, string | undefined>>, code: string, sentence: RegExp]>([
  [
    'a wrong password',
    { SVC_KAFKA_SASL_PASSWORD: 'no' },
    'config_invalid',
    /authentication failed.* invalid credentials.* SVC_KAFKA_SASL_PASSWORD/,
  ],
  ['an unknown user', { SVC_KAFKA_SASL_USERNAME: 'no' }, 'config_invalid', /authentication failed.* SVC_KAFKA_SASL_USERNAME/],
  [
    'another mechanism',
    { SVC_KAFKA_SASL_MECHANISM: 'scram-sha-512' },
    'config_invalid',
    /does not support the requested SASL mechanism.* SVC_KAFKA_SASL_MECHANISM/,
  ],
  ['no user at all', nobody, 'log_unavailable', /Closed connection\..* SVC_KAFKA_SASL_\*/],
  ['no TLS', withoutTls, 'log_unavailable', /Closed connection\..* SVC_KAFKA_TLS_ENABLED/],
  ['an unknown authority', { SVC_KAFKA_TLS_CA_FILE: undefined }, 'log_unavailable', /self-signed certificate.* SVC_KAFKA_TLS_CA_FILE/],
  [
    'another name',
    { SVC_KAFKA_TLS_SERVER_NAME: undefined },
    'log_unavailable',
    /127\.0\.0\.1 is not in the cert.* SVC_KAFKA_TLS_SERVER_NAME/,
  ],
])('reports %s soon, with the variable to change', async (_, changed, code, sentence) => {
  const { error, tookMs } = await open(changed)
  expect(error).toMatchObject({ code, message: expect.stringMatching(sentence) })
  expect(error!.message).not.toContain(credentials.password)
  // The measured times were at most 1.3 s.
  expect(tookMs).toBeLessThan(30_000)
})
