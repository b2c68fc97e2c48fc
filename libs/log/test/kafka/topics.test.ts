import { type SharedKafka, sharedKafka } from '@svc-server/dev-servers/shared-kafka'
import kafkajs, { type Admin } from 'kafkajs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openKafkaLog } from '../../src/kafka/log.ts'
import { keyless, topic } from '../conformance/harness.ts'
import { newPrefix, openTestLog } from './kafka-log.ts'

let cluster: SharedKafka
let admin: Admin
beforeAll(async () => {
  cluster = await sharedKafka()
  admin = new kafkajs.Kafka({ brokers: [...cluster.brokers], logLevel: kafkajs.logLevel.NOTHING }).admin()
  await admin.connect()
}, 600_000)
afterAll(async () => {
  await admin?.disconnect()
  await cluster?.stop()
})

const MiB = 1024 * 1024
const configOf = async (name: string) => {
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: [{ type: kafkajs.ConfigResourceTypes.TOPIC, name }],
  })
  return Object.fromEntries(resources[0]!.configEntries.map(entry => [entry.configName, entry.configValue]))
}

test('topics are created as designed and opened again unchanged', async () => {
  const prefix = newPrefix()
  const topics = [
    topic({ partitions: 3, retentionMs: 5000 }),
    topic({ name: 'trace.attributes', partitions: 2, cleanup: 'compact,delete', maxRecordBytes: MiB }),
  ]
  const log = await openTestLog(cluster.brokers, topics, { prefix })
  expect(await configOf(`${prefix}spans`)).toMatchObject({
    'message.timestamp.type': 'LogAppendTime',
    'cleanup.policy': 'delete',
    'retention.ms': '5000',
    'max.message.bytes': String(8 * MiB + 1024),
    'min.insync.replicas': '1',
    'unclean.leader.election.enable': 'false',
  })
  expect((await configOf(`${prefix}trace.attributes`))['cleanup.policy']).toBe('compact,delete')
  await log.append('spans', [keyless('x'.repeat(5000), 2)])
  const [spans] = await log.describe()
  expect(spans!.partitions.map(({ records }) => records)).toEqual([0, 0, 1])
  expect(spans!.partitions[2]!.bytes).toBeGreaterThan(5000)

  const again = await openTestLog(cluster.brokers, topics, { prefix, createTopics: false })
  expect(again.logId('spans')).toBe(log.logId('spans'))
  expect(again.logId('spans')).not.toBe(again.logId('trace.attributes'))
  expect(log.warnings.join('\n')).toMatch(/spans.* has 1 replica/)
  expect(log.warnings.join('\n')).toMatch(/spans.* has min\.insync\.replicas=1/)
})

test('a topic that was deleted and recreated is another log', async () => {
  const prefix = newPrefix()
  const before = (await openTestLog(cluster.brokers, [topic()], { prefix })).logId('spans')
  await admin.deleteTopics({ topics: [`${prefix}spans`] })
  expect((await openTestLog(cluster.brokers, [topic()], { prefix })).logId('spans')).not.toBe(before)
})

test('several processes create the same topics at the same time', async () => {
  const prefix = newPrefix()
  const topics = ['a', 'b', 'c'].map(name => topic({ name, partitions: 2 }))
  const logs = await Promise.all([1, 2, 3].map(() => openTestLog(cluster.brokers, topics, { prefix })))
  expect(new Set(logs.map(log => log.logId('b'))).size).toBe(1)
})

test('a missing topic is reported with the command that creates it', async () => {
  const opening = openKafkaLog({ brokers: cluster.brokers, topics: [topic({ partitions: 3 })], prefix: 'missing.', createTopics: false })
  await expect(opening).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringContaining(
      `kafka-topics.sh --bootstrap-server ${cluster.brokers[0]} --create --topic missing.spans --partitions 3 --replication-factor 1 --config message.timestamp.type=LogAppendTime`,
    ),
  })
  expect(await admin.listTopics()).not.toContain('missing.spans')
})

test('a changed partition count is used, except on topics with state by partition, where the error describes the procedure', async () => {
  const prefix = newPrefix()
  const at = (partitions: number) => [topic({ name: 'spans.staging', partitions }), topic({ partitions })]
  await openTestLog(cluster.brokers, at(2), { prefix })
  const opening = openKafkaLog({ brokers: cluster.brokers, prefix, topics: at(3) })
  await expect(opening).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringMatching(/spans\.staging has 2 partitions.*configure 2.*delete these topics/),
  })
  const log = await openTestLog(cluster.brokers, at(3).slice(1), { prefix })
  expect((await log.describe())[0]!.spec.partitions).toBe(2)
  expect(log.warnings.join('\n')).toMatch(/spans has 2 partitions, 3 are configured/)
})

test('for a topic with client time or another cleanup, the error names the command that fixes it', async () => {
  const prefix = newPrefix()
  const make = (name: string, config: Record<string, string>) =>
    admin.createTopics({
      waitForLeaders: true,
      topics: [{ topic: prefix + name, configEntries: Object.entries(config).map(([key, value]) => ({ name: key, value })) }],
    })
  await make('created', { 'message.timestamp.type': 'CreateTime' })
  await make('compacted', { 'message.timestamp.type': 'LogAppendTime', 'cleanup.policy': 'compact' })
  const open = (name: string) => openKafkaLog({ brokers: cluster.brokers, prefix, topics: [topic({ name })] })
  await expect(open('created')).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringContaining('--add-config message.timestamp.type=LogAppendTime'),
  })
  await expect(open('compacted')).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringContaining('cleanup.policy=[delete]'),
  })
})

test('on a topic with a lower size limit, larger records are refused by their size before they reach the broker', async () => {
  const prefix = newPrefix()
  await admin.createTopics({
    waitForLeaders: true,
    topics: [
      {
        topic: `${prefix}spans`,
        configEntries: [
          { name: 'message.timestamp.type', value: 'LogAppendTime' },
          { name: 'max.message.bytes', value: '100000' },
          { name: 'unclean.leader.election.enable', value: 'true' },
          { name: 'retention.ms', value: '3600000' },
        ],
      },
    ],
  })
  const log = await openTestLog(cluster.brokers, [topic()], { prefix })
  const warnings = log.warnings.join('\n')
  for (const said of [/accepts at most 100000 bytes/, /unclean leader elections/, /3600000 ms, less than/]) expect(warnings).toMatch(said)
  await expect(log.append('spans', [keyless('x'.repeat(99_000))])).rejects.toMatchObject({ code: 'record_too_large' })
  // The log splits this append into several batches, each within the limit.
  const positions = await log.append(
    'spans',
    Array.from({ length: 10 }, () => keyless('x'.repeat(60_000), 0)),
  )
  expect(positions.map(({ offset }) => offset)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
})

test('the log learns a limit that is lowered while it is open', async () => {
  const prefix = newPrefix()
  const log = await openTestLog(cluster.brokers, [topic()], { prefix })
  await admin.alterConfigs({
    validateOnly: false,
    resources: [
      {
        type: kafkajs.ConfigResourceTypes.TOPIC,
        name: `${prefix}spans`,
        configEntries: [
          { name: 'message.timestamp.type', value: 'LogAppendTime' },
          { name: 'max.message.bytes', value: '100000' },
        ],
      },
    ],
  })
  const codes: string[] = []
  while (codes.at(-1) !== 'record_too_large') {
    codes.push(
      await log.append('spans', [keyless('x'.repeat(200_000))]).then(
        () => 'acknowledged',
        error => error.code,
      ),
    )
  }
  expect(new Set(codes)).toEqual(new Set(['log_unavailable', 'record_too_large'].filter(code => codes.includes(code))))
  await log.append('spans', [keyless('small')])
})

test('the start reports that no broker responds', async () => {
  const opening = openKafkaLog({ brokers: ['127.0.0.1:1'], topics: [topic()] })
  await expect(opening).rejects.toMatchObject({ code: 'log_unavailable', message: expect.stringContaining('127.0.0.1:1') })
})
