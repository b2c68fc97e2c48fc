// Tests groups of several members on one broker.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type SharedKafka, sharedKafka } from '@svc-server/dev-servers/shared-kafka'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { EventLog, PartitionContext } from '../../src/port.ts'
import { collect, commitAll, done, gate, keyed, keyless, readAll, topic, values, waitFor } from '../conformance/harness.ts'
import { administer } from './administrator.ts'
import { newPrefix, openTestLog } from './kafka-log.ts'

let cluster: SharedKafka
beforeAll(async () => {
  cluster = await sharedKafka()
}, 600_000)
afterAll(() => cluster?.stop())

const partitionsOf = (assigned: readonly { readonly topic: string; readonly partition: number }[], name: string) =>
  assigned.filter(one => one.topic === name).map(({ partition }) => partition)

async function member(...[log, options, handler]: Parameters<typeof collect>) {
  const assignments: { topic: string; partition: number }[][] = []
  const got = await collect(
    log,
    {
      maxWaitMs: 50,
      ...options,
      onAssigned: async partitions => {
        assignments.push([...partitions])
        return []
      },
    },
    handler,
  )
  return { ...got, assigned: () => assignments.at(-1) ?? [] }
}

test('two members share the partitions, with equal numbers of equal topics together, and one member takes over the partitions of a member that leaves', async () => {
  const topics = ['staging', 'filled', 'attributes'].map(name => topic({ name, partitions: 4 }))
  const prefix = newPrefix()
  const names = topics.map(({ name }) => name)
  const [one, two] = [await openTestLog(cluster.brokers, topics, { prefix }), await openTestLog(cluster.brokers, topics, { prefix })]
  const first = await member(one, { topics: names, group: prefix })
  await waitFor(() => expect(first.assigned()).toHaveLength(12))
  const second = await member(two, { topics: names, group: prefix })
  await waitFor(() => {
    expect(first.assigned()).toHaveLength(6)
    expect(second.assigned()).toHaveLength(6)
  })
  for (const { assigned } of [first, second]) {
    expect(partitionsOf(assigned(), 'filled')).toEqual(partitionsOf(assigned(), 'staging'))
    expect(partitionsOf(assigned(), 'attributes')).toEqual(partitionsOf(assigned(), 'staging'))
  }

  const sent = Array.from({ length: 40 }, (_, i) => `${i}`)
  for (const value of sent) await one.append('staging', [keyed(`key ${value}`, value)])
  const received = () => [...values(first.records()), ...values(second.records())].sort()
  await waitFor(() => expect(received()).toEqual([...sent].sort()))
  expect(first.records().length).toBeGreaterThan(0)
  expect(second.records().length).toBeGreaterThan(0)

  await first.consumer.stop()
  await waitFor(() => expect(second.assigned()).toHaveLength(12))
  await one.append(
    'staging',
    [0, 1, 2, 3].map(partition => keyless(`late ${partition}`, partition)),
  )
  await waitFor(() => expect(values(second.records()).filter(value => value?.startsWith('late'))).toHaveLength(4))
  await second.consumer.stop()
  expect([...first.fatal, ...second.fatal]).toEqual([])
})

test('two prefixes on the same brokers are two deployments: equal group names share neither partitions nor positions', async () => {
  const topics = [topic({ partitions: 2, readers: ['svc.writer'] }), topic({ name: 'filled' })]
  const prefixes = [newPrefix(), newPrefix()]
  const logs = await Promise.all(prefixes.map(prefix => openTestLog(cluster.brokers, topics, { prefix })))
  const members = await Promise.all(
    logs.map((log, index) =>
      member(log, { topics: ['spans'], group: 'svc.writer' }, async (batch, context) => {
        const copies = batch.records.map(({ value }) => ({ key: null, value }))
        await context.commitWith(batch.nextOffset, `of ${index}`, new Map([['filled', copies]]))
        return done
      }),
    ),
  )
  await waitFor(() => expect(members.map(({ assigned }) => assigned())).toMatchObject([{ length: 2 }, { length: 2 }]))
  const [one, two] = logs
  await one!.append('spans', [keyless('a', 0), keyless('b', 1), keyless('c', 1)])
  await two!.append('spans', [keyless('z', 1)])
  const positions = async (log: EventLog) =>
    [...(await log.committed('svc.writer', 'spans'))].map(([partition, { offset }]) => [partition, offset])
  await waitFor(async () => {
    expect((await positions(one!)).sort()).toEqual([
      [0, 1],
      [1, 2],
    ])
    expect(await positions(two!)).toEqual([[1, 1]])
  })
  expect(values(await readAll(one!, 'filled', 0)).sort()).toEqual(['a', 'b', 'c'])
  expect(values(await readAll(two!, 'filled', 0))).toEqual(['z'])
  expect(await one!.lag()).toMatchObject([
    { group: 'svc.writer', partition: 0, committed: 1 },
    { group: 'svc.writer', partition: 1, committed: 2 },
  ])

  const { groups } = await administer(cluster.brokers, admin => admin.listGroups())
  const names = groups.map(({ groupId }) => groupId)
  for (const prefix of prefixes) expect(names).toContain(`${prefix}writer`)
  expect(names).not.toContain('svc.writer')
  await Promise.all(members.map(({ consumer }) => consumer.stop()))
  expect(members.flatMap(({ fatal }) => fatal)).toEqual([])
})

test('F19 · when a second member joins during a long insert, the heartbeat reports it, the commit succeeds, and no member hangs', async () => {
  const topics = [topic({ partitions: 4 })]
  const prefix = newPrefix()
  const [one, two] = [await openTestLog(cluster.brokers, topics, { prefix }), await openTestLog(cluster.brokers, topics, { prefix })]
  const all = Array.from({ length: 4 }, (_, partition) => keyless(`first ${partition}`, partition))
  await one.append('spans', all)

  const told = gate()
  const signalled: boolean[] = []
  const inserting = async (context: PartitionContext): Promise<void> => {
    // Like the writer's handler, this handler sends heartbeats during an insert. The insert ends as soon as a heartbeat fails because of
    // the rebalance.
    for (;;) {
      try {
        await context.heartbeat()
      } catch (error) {
        expect(error).toMatchObject({ code: 'fenced' })
        signalled.push(context.signal.aborted)
        told.open()
        return
      }
      await new Promise(resolve => setTimeout(resolve, 50))
    }
  }
  let began = false
  const first = await member(one, { topics: ['spans'], group: prefix, concurrency: 4 }, async (batch, context) => {
    if (!began) {
      began = true
      await inserting(context)
    }
    return commitAll(batch, context)
  })
  await waitFor(() => expect(began).toBe(true))
  const second = await member(two, { topics: ['spans'], group: prefix })
  await told.opened
  await waitFor(() => expect(partitionsOf(first.assigned(), 'spans').length + partitionsOf(second.assigned(), 'spans').length).toBe(4))
  await waitFor(() => expect(second.assigned()).toHaveLength(2))
  expect(signalled).toEqual([true])

  await one.append(
    'spans',
    [0, 1, 2, 3].map(partition => keyless(`second ${partition}`, partition)),
  )
  const handled = () => [...values(first.records()), ...values(second.records())]
  await waitFor(() => expect(handled().filter(value => value?.startsWith('second'))).toHaveLength(4))
  // The first member committed the records of the insert that ran during the rebalance. The log therefore delivers these records only once.
  expect(
    handled()
      .filter(value => value?.startsWith('first'))
      .sort(),
  ).toEqual(['first 0', 'first 1', 'first 2', 'first 3'])
  await Promise.all([first.consumer.stop(), second.consumer.stop()])
})

test('F20 · a stopped process that resumes after its session has ended cannot commit, with or without records', async () => {
  const topics = [topic(), topic({ name: 'filled' })]
  const prefix = newPrefix()
  const log = await openTestLog(cluster.brokers, topics, { prefix })
  await log.append('spans', [keyless('a')])
  const argument = JSON.stringify({ brokers: cluster.brokers, prefix })
  const program = fileURLToPath(new URL('./holding-member.ts', import.meta.url))
  const zombie = spawn(process.execPath, [program, argument, JSON.stringify(topics)], { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void zombie.kill('SIGKILL'))
  const said: string[] = []
  createInterface({ input: zombie.stdout }).on('line', line => said.push(line))
  await waitFor(() => expect(said).toContain('began'))
  zombie.kill('SIGSTOP')

  const next = await collect(log, { topics: ['spans'] }, async (batch, context) => {
    await context.commitWith(batch.nextOffset, 'owner', new Map([['filled', [keyless('of the owner')]]]))
    return done
  })
  await waitFor(async () => expect((await log.committed('group', 'spans')).get(0)).toEqual({ offset: 1, metadata: 'owner' }))
  zombie.kill('SIGCONT')
  zombie.stdin.write('go on\n')
  await waitFor(() => expect(said.find(line => line.startsWith('outcomes'))).toBe('outcomes fenced fenced'))
  expect((await log.committed('group', 'spans')).get(0)).toEqual({ offset: 1, metadata: 'owner' })
  expect(values(await readAll(log, 'filled', 0))).toEqual(['of the owner'])
  zombie.kill('SIGKILL')

  // The commits of the resumed process have failed. The partition's new owner (`next`) still receives and commits records.
  await log.append('spans', [keyless('b')])
  await waitFor(async () => expect((await log.committed('group', 'spans')).get(0)?.offset).toBe(2))
  expect(next.fatal).toEqual([])
  await next.consumer.stop()
})
