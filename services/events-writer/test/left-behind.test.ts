import { groupNames, topicNames } from '@svc-server/modes/names'
import { writeModes } from '@svc-server/modes/write-mode'
import { waitFor } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { destinations } from '../src/destinations/index.ts'
import { eachTestHasItsWorld, openWorld, world } from './each-world.ts'
import { propagate } from './propagate.ts'
import { now, type RunningWriter, spanBatch } from './world.ts'

eachTestHasItsWorld('by the test')

const reason = async ({ health }: RunningWriter) => JSON.stringify(await health.evaluate('progress'))

test('spans that were staged before a switch to legacy are stored after it', async () => {
  await openWorld()
  await world.append(topicNames.staging, spanBatch({ count: 20 }))
  await propagate(world.log)
  const writer = world.writer({ config: { writeMode: 'legacy' } })
  await writer.service.start()
  await world.settled()
  expect(await world.counts()).toEqual({ full: 20, core: 20, distinct: 20 })
  expect(await world.check()).toMatchObject({ conserved: true, atRest: true })
})

test('records that this release does not read are logged and counted, and turn readiness red', async () => {
  await openWorld()
  const { entities } = topicNames
  await world.log.append(entities, [{ key: Buffer.from('an entity'), value: spanBatch({ count: 3 }), partition: 0 }])
  const list = destinations.list.filter(({ sources }) => !writeModes.some(mode => sources(mode).includes(entities)))
  const writer = world.writer({ destinations: { ...destinations, list } })
  await writer.service.start()
  await waitFor(async () => (await writer.metric('svc_writer_unread_records', entities)) === 1, { what: 'the records to be counted' })
  expect(await reason(writer)).toContain('this release does not read records that wait for svc.writer: 1 on entities')
})

test('a group whose first records retention has deleted starts after them and reports their number', async () => {
  let time = now
  await openWorld({ name: topicNames.direct, readers: [], retentionMs: 1000 }, () => time)
  await world.send({ count: 2 })
  await world.send({ count: 2 })
  time += 10_000
  await world.log.maintain()
  await world.send({ count: 5 })
  const writer = world.writer()
  await writer.service.start()
  const committed = async () => (await world.log.committed(groupNames.writer, topicNames.direct)).get(0)?.offset
  await waitFor(async () => (await committed()) === 3, { what: 'the rest to be stored' })
  expect(await world.counts()).toMatchObject({ full: 5 })
  expect(await writer.metric('svc_writer_expired_records_total', 'spans.direct')).toBe(2)
  expect(await reason(writer)).toContain('spans.direct/0: retention deleted 2 records before svc.writer had read them')
})
