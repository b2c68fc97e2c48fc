import { loadSettings } from '@svc-server/service/configuration'
import { expect, test } from 'vitest'
import { eventLog } from '../src/event-log/event-log.ts'
import { openKafka } from '../src/event-log/kafka.ts'
import { kafkaSettings } from '../src/event-log/settings.ts'

const load = (env: Readonly<Record<string, string>>) =>
  loadSettings([eventLog.variables], { SVC_KAFKA_BROKERS: 'a:9092', ...env }, { service: 'test', validate: eventLog.problems }).of(
    kafkaSettings,
  )

test('parses a list of brokers, and has the documented defaults', () => {
  expect(load({ SVC_KAFKA_BROKERS: 'a:9092, b:9092' })).toMatchObject({
    brokers: ['a:9092', 'b:9092'],
    topicPrefix: 'svc.',
    createTopics: true,
    sessionTimeoutMs: 15_000,
    partitionsDirect: 8,
    partitionsStaging: 8,
  })
})

test.each([
  ['no brokers', { SVC_KAFKA_BROKERS: '' }, 'SVC_KAFKA_BROKERS is not set'],
  ['a session that brokers refuse', { SVC_KAFKA_SESSION_TIMEOUT_MS: '5s' }, 'SVC_KAFKA_SESSION_TIMEOUT_MS="5s": expected'],
  ['half of SASL', { SVC_KAFKA_SASL_MECHANISM: 'plain', SVC_KAFKA_SASL_USERNAME: 'u' }, 'SVC_KAFKA_SASL_PASSWORD together'],
  ['files without TLS', { SVC_KAFKA_TLS_CA_FILE: 'ca.pem' }, 'set SVC_KAFKA_TLS_ENABLED=true'],
  ['a certificate without its key', { SVC_KAFKA_TLS_ENABLED: 'true', SVC_KAFKA_TLS_CERT_FILE: 'c.pem' }, 'SVC_KAFKA_TLS_KEY_FILE together'],
])('rejects %s with a message', (_, env, sentence) => {
  expect(() => load(env)).toThrow(sentence)
})

test('the error for an unreadable certificate names its variable', () => {
  const env = load({ SVC_KAFKA_TLS_ENABLED: 'true', SVC_KAFKA_TLS_CA_FILE: 'not-there.pem' })
  const logger = { info: () => {}, warn: () => {} } as never
  expect(() => openKafka(env, { clientId: 'test', logger })).toThrow('SVC_KAFKA_TLS_CA_FILE=not-there.pem: the file cannot be read.')
})
