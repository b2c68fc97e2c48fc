// Stores several versions of one key within one millisecond, each version in its own chunk. At the end, readers see the last version, even
// if its insert failed at first. Most tests combine a case, such as a killed writer, with a kind of record. `npm test` runs only some of
// these combinations, but it runs each case and each kind at least once. `isAsked` and `sized` select the tests that run.
import type { NativeInsert } from '@svc-server/column-store/port'
import { AppError } from '@svc-server/errors'
import { type TopicName, topicNames } from '@svc-server/modes/names'
import type { WriteMode } from '@svc-server/modes/write-mode'
import { encodeRunItem } from '@svc-server/schema/run-item'
import { encodeScoreEvent } from '@svc-server/schema/score-event'
import { decodeSpanBatch, encodeSpanBatch } from '@svc-server/schema/span-batch'
import { attributes, isAsked, sized } from '@svc-server/testkit'
import { describe, expect, test } from 'vitest'
import { commitAt } from './commit-at.ts'
import { eachTestHasItsWorld, openWorld, world } from './each-world.ts'
import { killAt, type Point, withInsert } from './kill.ts'
import { runItemOf } from './run-items.ts'
import { scoreEvent, scoreRecords } from './scores.ts'
import { now, spanBatch } from './world.ts'

eachTestHasItsWorld('by the test')

const span = (version: string, writeMode: WriteMode = 'events_only') =>
  spanBatch({ count: 1, seed: 'aaaaaaaa', writeMode, more: attributes({ 'user.id': version, 'svc.observation.level': version }) })
const staged = { partition: 0, offset: 7, timestampMs: now, generation: 0 }

interface Kind {
  readonly writeMode: WriteMode
  readonly topic: TopicName
  record(version: string): Buffer
  /** For each table, the column that shows which `version` of the record was stored. */
  readonly shown: Readonly<Record<string, string>>
}

const kinds: Readonly<Record<string, Kind>> = {
  spans: { writeMode: 'events_only', topic: topicNames.direct, record: span, shown: { events_full: 'user_id', events_core: 'user_id' } },
  'filled spans': {
    writeMode: 'events_only',
    topic: topicNames.filled,
    record: version => encodeSpanBatch({ ...decodeSpanBatch(span(version)), staged }),
    shown: { events_full: 'user_id', events_core: 'user_id' },
  },
  'spans in the old table': {
    writeMode: 'legacy',
    topic: topicNames.direct,
    record: version => span(version, 'legacy'),
    shown: { observations: "metadata['attributes']" },
  },
  scores: {
    writeMode: 'events_only',
    topic: topicNames.scores,
    record: comment => encodeScoreEvent(scoreEvent({ comment })),
    shown: { scores: 'comment' },
  },
  'run items': {
    writeMode: 'dual',
    topic: topicNames.runItems,
    record: error => encodeRunItem(runItemOf({ error })),
    shown: { dataset_run_items_rmt: 'error' },
  },
}

async function shownIn({ shown }: Kind): Promise<Readonly<Record<string, readonly string[]>>> {
  const rows = Object.entries(shown).map(async ([table, column]) => {
    const found = await world.columnStore.query<{ version: string }>(`SELECT ${column} AS version FROM ${table} FINAL`)
    return [table, found.map(({ version }) => version)] as const
  })
  return Object.fromEntries(await Promise.all(rows))
}

const timeout = () => new AppError('column_store_unavailable', 'Timeout error.')

describe.each(Object.entries(kinds).map(([name, kind], at) => ({ name, kind, at })))('$name', ({ kind, at }) => {
  let laws = 0
  const law = (name: string, ask: () => Promise<void>): void => {
    if (isAsked(at, laws++, 5)) test(name, ask)
  }
  const open = () => openWorld({ writeMode: kind.writeMode }, () => now)
  const say = (version: string) => world.append(kind.topic, kind.record(version))
  const all = (version: string) => Object.fromEntries(Object.keys(kind.shown).map(table => [table, [expect.stringContaining(version)]]))

  for (const isStored of [false, true])
    law(`the insert of the second version ${isStored ? 'is stored, and its response is lost' : 'never reaches the engine'}`, async () => {
      await open()
      let broken = false
      const columnStore = withInsert(world.columnStore, async request => {
        if (!broken || !(request.table in kind.shown)) return world.columnStore.insert(request)
        broken = false
        if (isStored) await world.columnStore.insert(request)
        throw timeout()
      })
      const { service } = world.writer({ columnStore })
      await service.start()
      await say('first')
      await world.settled()
      broken = true
      await say('second')
      await world.settled()
      expect(broken).toBe(false)
      expect(await shownIn(kind)).toEqual(all('second'))
    })

  for (const point of ['after intent', 'after insert'] as const)
    law(`the writer is killed ${point} of the second version`, async () => {
      await open()
      await dieOf(kind, point)
      await world.writer().service.start()
      await world.settled()
      expect(await shownIn(kind)).toEqual(all('second'))
    })

  law(
    'F42 · an offset moved back: one chunk has the first version, which is stored, and the second version, whose insert is lost',
    async () => {
      await open()
      await dieOf(kind, 'before intent')
      await commitAt(world.log, 0, '', 0, kind.topic)
      let left = 1
      const columnStore = withInsert(world.columnStore, request =>
        left-- > 0 ? Promise.reject(timeout()) : world.columnStore.insert(request),
      )
      await world.writer({ columnStore }).service.start()
      await world.settled()
      expect(await shownIn(kind)).toEqual(all('second'))
    },
  )
})

test('a late attempt to insert the second version last is not stored after a third version', async () => {
  const kind = kinds['scores']!
  await openWorld({}, () => now)
  let [lost, late] = [0, null as NativeInsert | null]
  const columnStore = withInsert(world.columnStore, async request => {
    if (request.token.includes('last-') && late === null) {
      late = { ...request, body: request.body.map(part => Uint8Array.from(part)) }
      throw timeout()
    }
    if (lost++ === 1) throw timeout()
    return world.columnStore.insert(request)
  })
  await world.writer({ columnStore }).service.start()
  for (const version of ['first', 'second', 'third']) {
    await world.append(kind.topic, kind.record(version))
    await world.settled()
  }
  expect(await shownIn(kind)).toEqual({ scores: ['third'] })
  await world.columnStore.insert(late!)
  expect(await shownIn(kind)).toEqual({ scores: ['third'] })
})

async function dieOf({ topic, record }: Kind, point: Point): Promise<void> {
  const first = world.writer()
  await first.service.start()
  await world.append(topic, record('first'))
  await world.settled()
  await first.service.drain()
  await world.append(topic, record('second'))
  const killed = killAt(point, world.log, world.columnStore)
  await world.writer({ log: killed.log, columnStore: killed.columnStore }).service.start()
  await killed.reached
}

const losses: readonly (readonly [string, string])[] = [
  ['of the second version', "ALTER TABLE events_core DELETE WHERE user_id = 'second' SETTINGS mutations_sync = 2"],
  ['of both', 'TRUNCATE TABLE events_core'],
]
test.each(sized(losses, losses.slice(0, 1)))(
  'the rows that the view lost %s are copied in their order of insertion',
  async (_, statement) => {
    await openWorld({}, () => now)
    const { command, database } = world.columnStore
    await dieOf(kinds['spans']!, 'after insert')
    await command(`SYSTEM START MERGES ${database}.events_core`)
    await command(statement)
    await command(`SYSTEM STOP MERGES ${database}.events_core`)
    const { service, metric } = world.writer()
    await service.start()
    await world.settled()
    expect(await shownIn(kinds['spans']!)).toEqual({ events_full: ['second'], events_core: ['second'] })
    expect(await metric('svc_writer_reinserted_rows_total', 'events_core')).toBe(1)
    expect(await world.check()).toMatchObject({ conserved: true })
  },
)

test('a refused later version becomes a dead letter, although the older version is stored', async () => {
  for (const name of sized(['spans', 'scores'], ['scores'])) {
    await openWorld({}, () => now)
    const kind = kinds[name]!
    const [table] = Object.keys(kind.shown) as [string]
    await world.writer().service.start()
    await world.append(kind.topic, kind.record('first'))
    await world.settled()
    await world.columnStore.command(`ALTER TABLE ${table} ADD CONSTRAINT refused CHECK ${kind.shown[table]} != 'second'`)
    await world.append(kind.topic, kind.record('second'))
    await world.settled()
    expect((await world.deadLetters()).map(({ topic, offset, reason }) => [topic, offset, reason])).toEqual([
      [kind.topic, 1, 'store_refused'],
    ])
    if (name === 'spans') await world.close()
  }
})

test('when a chunk is cut because of another row, the last of its equal versions is shown', async () => {
  await openWorld({}, () => now)
  await world.columnStore.command("ALTER TABLE events_full ADD CONSTRAINT refused CHECK name != 'span 25'")
  await world.columnStore.command("ALTER TABLE scores ADD CONSTRAINT refused CHECK name != 'refused'")
  const { topic, record } = kinds['scores']!
  // The loop writes 11 versions of one span and of one score. When a chunk is refused, the writer first tries a sample of its rows. Here,
  // the sample contains the last version of the span or score, but not all earlier versions.
  for (const at of Array(11).keys()) {
    await world.send({ count: 1, seed: 'aaaaaaaa', more: attributes({ 'user.id': `${at}` }) })
    await world.append(topic, record(`${at}`))
  }
  await world.send({ count: 30, seed: 'bbbbbbbb' })
  for (const { value } of scoreRecords({ count: 20 })) await world.append(topic, value!)
  await world.append(topic, encodeScoreEvent(scoreEvent({ id: 'refused', name: 'refused' })))
  await world.writer({ config: { fetchMinBytes: 1e6 } }).service.start()
  await world.settled()
  const rows = (table: string, column: string, where: string) =>
    world.columnStore.query(`SELECT ${column} AS last FROM ${table} FINAL WHERE ${where}`)
  for (const table of ['events_full', 'events_core']) expect(await rows(table, 'user_id', "user_id != ''")).toEqual([{ last: '10' }])
  expect(await rows('scores', 'comment', "id = 'score'")).toEqual([{ last: '10' }])
  expect((await world.deadLetters()).map(({ reason }) => reason)).toEqual(['store_refused', 'store_refused'])
})
