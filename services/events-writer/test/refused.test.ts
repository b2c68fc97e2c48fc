import { topicNames } from '@svc-server/modes/names'
import { commandKey, encodeCommand } from '@svc-server/schema/command'
import { sized, waitFor } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { eachTestHasItsWorld, world } from './each-world.ts'
import { entity, iso, onLog } from './entities.ts'
import { killAt, withInsert } from './kill.ts'
import { now, projectId } from './world.ts'

eachTestHasItsWorld()

const stored = (rows: number) => ({ full: rows, core: rows, distinct: rows })
const refuse = (condition: string) => world.columnStore.command(`ALTER TABLE events_full ADD CONSTRAINT refused CHECK NOT (${condition})`)
const takeAll = () => world.columnStore.command('ALTER TABLE events_full DROP CONSTRAINT refused')

test('F14 · rows that are refused individually become dead letters with their bytes; all others are stored once', async () => {
  await refuse("name IN ('span 7', 'span 99')")
  const sent = (await world.send({ count: 50 })) + (await world.send({ count: 100 }))
  const { service, metric, bugs } = world.writer({ config: { fetchMinBytes: 1e6, fetchMaxWaitMs: 200 } })
  await service.start()
  await world.settled()
  expect(await world.counts()).toEqual(stored(sent - 3))
  const deadLetters = await world.deadLetters()
  expect(deadLetters.map(({ id, reason, stage }) => [id, stage, reason]).sort()).toEqual(
    ['0/7', '1/7', '1/99'].map(place => [`spans.direct/0/${place}`, 'store', 'store_refused']).sort(),
  )
  expect(deadLetters.every(({ raw, index }) => Buffer.from(raw).includes(`span ${index}`))).toBe(true)
  expect(await world.check()).toMatchObject({ conserved: true })
  expect(await metric('svc_writer_halted')).toBe(0)
  expect(bugs).toEqual([])
})

test('when every row is refused, the partition halts at its offset until the repair, while another partition continues', async () => {
  await refuse("project_id = 'bad'")
  const bad = await world.send({ count: sized(200, 40), projectId: 'bad' })
  const good = await world.send({ count: 50, partition: 1 })
  const { service, metric } = world.writer()
  await service.start()
  await waitFor(async () => (await metric('svc_writer_halted')) === 1 && (await world.backlog()) === 1, {
    what: 'the halt',
  })
  expect(await world.counts()).toEqual(stored(good))
  expect(await world.deadLetters()).toEqual([])
  await takeAll()
  await world.settled()
  expect(await world.counts()).toEqual(stored(good + bad))
  expect(await metric('svc_writer_halted')).toBe(0)
})

test('the only row of a chunk becomes a dead letter when other chunks are stored', async () => {
  await refuse("name = 'span 0'")
  await world.send({ count: 1 })
  const good = await world.send({ count: 51, partition: 1 })
  const { service } = world.writer()
  await service.start()
  await world.settled()
  expect(await world.counts()).toEqual(stored(good - 1))
  expect((await world.deadLetters()).map(({ id }) => id).sort()).toEqual(['spans.direct/0/0/0', 'spans.direct/1/0/0'])
})

test('F06 · F07 · a writer is killed between two halves, and the next one cuts the chunk the same way: rows are stored once', async () => {
  await refuse("name = 'span 33'")
  const sent = await world.send({ count: 100 })
  const tokens: string[] = []
  const noting = withInsert(world.columnStore, request => {
    tokens.push(request.token)
    return world.columnStore.insert(request)
  })
  for (const point of ['after insert', 'before acknowledgement'] as const) {
    const killed = killAt(point, world.log, noting)
    await world.writer({ log: killed.log, columnStore: killed.columnStore }).service.start()
    await killed.reached
  }
  const whole = tokens.filter(token => token === tokens[0])
  expect(whole).toHaveLength(1)
  await world.writer({ columnStore: noting }).service.start()
  await world.settled()
  expect(await world.counts()).toEqual(stored(sent - 1))
  expect((await world.deadLetters()).map(({ id }) => id)).toEqual([`${topicNames.direct}/0/0/33`])
})

test('the view refuses rows after the table stored them: each row is stored once', async () => {
  await world.columnStore.command('CREATE TABLE beside (number UInt8) ENGINE = Memory')
  await world.columnStore.command(
    "CREATE MATERIALIZED VIEW breaks TO beside AS SELECT toUInt8(if(name = 'span 7', name, '0')) AS number FROM events_full",
  )
  const sent = await world.send({ count: 40 })
  const { service } = world.writer()
  await service.start()
  await world.settled()
  expect(await world.counts()).toMatchObject({ full: sent, distinct: sent })
  expect(await world.deadLetters()).toEqual([])
})

test('a refused tombstone of a deleted trace becomes a dead letter, although its own row would be out of range', async () => {
  await world.columnStore.command("ALTER TABLE traces ADD CONSTRAINT refused CHECK NOT (id = 'gone')")
  const command = { projectId, kind: 'delete_trace', traceId: 'gone', value: null, acceptedAtMs: now } as const
  await world.log.append(topicNames.commands, [{ key: Buffer.from(commandKey(command)), value: encodeCommand(command) }])
  const gone = entity('trace', 'gone', { body: { timestamp: iso(now - 9e11) } })
  const kept = ['a', 'b', 'c'].map(id => entity('trace', id, { body: { timestamp: iso(now) } }))
  const retired = [{ startMs: now - 86_400_000, type: 'SPAN', traceId: 'gone' }]
  await world.log.append(
    topicNames.entities,
    [{ ...gone, retired }, ...kept].map(of => onLog(of)),
  )
  const { service, bugs } = world.writer({ config: { fetchMinBytes: 1e6, fetchMaxWaitMs: 200 } })
  await service.start()
  await world.settled()
  const rows = await world.columnStore.query<{ id: string }>('SELECT id FROM traces FINAL ORDER BY id')
  expect(rows.map(({ id }) => id)).toEqual(['a', 'b', 'c'])
  const ofTraces = (await world.deadLetters()).filter(({ reason }) => reason === 'store_refused')
  expect(ofTraces.map(({ id }) => id)).toEqual([`${topicNames.entities}/0/0/0`])
  expect(bugs).toEqual([])
})
