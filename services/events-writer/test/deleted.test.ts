// Readers never see rows of a deleted trace. This also holds for rows that arrive late, and after any fault of the writer. `npm test` runs
// each case for only a quarter of the destinations. Each destination still gets at least one case (isAsked). The nightly run runs each case
// for every destination.
import { topicNames } from '@svc-server/modes/names'
import { commandKey, encodeCommand } from '@svc-server/schema/command'
import { decodeEntity, isEntity } from '@svc-server/schema/entity'
import { isAsked } from '@svc-server/testkit'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Destinations } from '../src/destinations/destination.ts'
import { destinations } from '../src/destinations/index.ts'
import { runItems } from '../src/destinations/run-items.ts'
import { scores } from '../src/destinations/scores.ts'
import { sdkUsage } from '../src/destinations/sdk-usage.ts'
import { eachTestHasItsWorld, openWorld, world } from './each-world.ts'
import { killAt, type Point } from './kill.ts'
import { createTallies, tallies } from './second/tallies.ts'
import { type SentItems, type Subject, subjectsIn } from './subjects.ts'
import { now, projectId } from './world.ts'

eachTestHasItsWorld('by the test')

const all: Destinations = { list: [...destinations.list, tallies], encoderScript: new URL('./second/worker.ts', import.meta.url) }
const seed = 'deadbeef'
const firstTrace = Buffer.from(`${seed}00000000`.repeat(2)).toString('hex').slice(0, 32)
const month = 30 * 86_400_000
const options = { count: 25, seed, startMs: now - month, stepMs: month / 12 }

function traceIn({ records }: SentItems, { table }: Subject): string {
  if (table === scores.table || table === runItems.table) return 'trace'
  const { value } = records[0]!
  if (table === 'observations' && isEntity(value!)) return 'trace'
  return isEntity(value!) ? decodeEntity(value!).entityId : firstTrace
}

const keyOf = ({ destination }: Subject): string => destination.key.map(({ sql }) => sql).join(', ')

const isOf = (table: string, trace: string): string => {
  if (table === 'traces') return `id = '${trace}'`
  return table === tallies.table ? `startsWith(id, '${trace}')` : `trace_id = '${trace}'`
}

/** Deletes the trace, or the project if `traceId` is null. */
async function remove(traceId: string | null): Promise<void> {
  const kind = traceId === null ? 'delete_project' : 'delete_trace'
  const command = { projectId, kind, traceId, value: null, acceptedAtMs: now } as const
  await world.log.append(topicNames.commands, [{ key: Buffer.from(commandKey(command)), value: encodeCommand(command) }])
}

async function count(sql: string): Promise<number> {
  return Number((await world.columnStore.query<{ n: string }>(`SELECT count() AS n FROM ${sql}`))[0]!.n)
}

async function ledgerOf(table: string) {
  const [row] = await world.columnStore.query<{ items: string; stored: string; refused: string }>(
    `SELECT sum(spans) AS items, sum(rows) AS stored, sum(denied) AS refused FROM ingest_ledger FINAL WHERE destination = '${table}'`,
  )
  return { items: Number(row!.items), stored: Number(row!.stored), denied: Number(row!.refused) }
}

async function run(): Promise<void> {
  const writer = world.writer({ destinations: all })
  await writer.service.start()
  await world.settled()
  expect(writer.bugs).toEqual([])
  await writer.service.drain()
}

async function dieAt(point: Point, table: string): Promise<void> {
  const killed = killAt(point, world.log, world.columnStore, table)
  const { service } = world.writer({ log: killed.log, columnStore: killed.columnStore, destinations: all })
  await service.start()
  await killed.reached
}

const subjects = subjectsIn(all.list).filter(({ destination }) => destination !== sdkUsage)

describe.each(subjects)('$table, of $kind from $topic in $writeMode', subject => {
  const { table, topic } = subject
  const at = subjects.indexOf(subject)
  let laws = 0
  const law = (name: string, ask: () => Promise<void>): void => {
    if (isAsked(at, laws++, 4)) test(name, ask)
  }
  beforeEach(async () => {
    await openWorld({ writeMode: subject.writeMode })
    await createTallies(world.columnStore)
    await world.columnStore.command(`SYSTEM STOP MERGES ${world.columnStore.database}.${tallies.table}`)
  })

  async function send(): Promise<{ readonly sent: SentItems; readonly trace: string }> {
    const sent = subject.make(options)
    await world.log.append(topic, sent.records)
    return { sent, trace: traceIn(sent, subject) }
  }

  async function expectGone(sent: SentItems, trace: string): Promise<void> {
    const of = isOf(table, trace)
    expect(await count(`${table} FINAL WHERE ${of}`)).toBe(0)
    const key = keyOf(subject)
    const others = `(SELECT ${key}, argMax(is_deleted, event_ts) AS gone FROM ${table} WHERE NOT (${of}) GROUP BY ${key} HAVING gone = 0)`
    expect(await count(`${table} FINAL`)).toBe(await count(others))
    const { items, stored, denied } = await ledgerOf(table)
    expect([items, stored + denied]).toEqual([sent.items, sent.items])
    expect(denied).toBeGreaterThan(0)
    const { findings } = await world.check()
    expect(findings).toEqual([])
  }

  law('records of a deleted trace become tombstones with only their keys', async () => {
    await remove('another')
    const { sent, trace } = await send()
    await remove(trace)
    await run()
    await expectGone(sent, trace)
    expect(await count(table)).toBe(sent.rowsOf(table))
    expect(await world.deadLetters()).toEqual([])
    if (table === 'events_full') expect(await count(`${table} WHERE is_deleted = 1 AND (input, output, name) != ('', '', '')`)).toBe(0)
  })

  law('raw rows are exact when the writer is killed after an insert, with the trace denied before and after', async () => {
    const { sent, trace } = await send()
    await remove(trace)
    await dieAt('after insert', table)
    await run()
    await expectGone(sent, trace)
    expect(await count(table)).toBe(sent.rowsOf(table))
  })

  law(
    'tombstones are inserted over stored rows when the writer is killed after an insert and the trace is deleted before the next start',
    async () => {
      const { sent, trace } = await send()
      await dieAt('after insert', table)
      const others = () => count(`${table} WHERE NOT (${isOf(table, trace)})`)
      const before = await others()
      await remove(trace)
      await run()
      await expectGone(sent, trace)
      // The deletion does not add or remove a row of any other trace.
      expect(await others()).toBe(before)
    },
  )

  law('no row of a deleted project is shown', async () => {
    const { sent } = await send()
    await remove(null)
    await run()
    expect(await count(`${table} FINAL`)).toBe(0)
    const { items, stored, denied } = await ledgerOf(table)
    // The ledger of `table` counts every item, including entities of a type that `table` does not store. Although `table` has no row for
    // such an entity, the ledger counts the entity as stored, not as denied.
    expect([items, stored + denied]).toEqual([sent.items, sent.items])
    expect(denied).toBeGreaterThan(stored - 1)
    // Removes the rows, as the later physical deletion does.
    await world.columnStore.command(`TRUNCATE TABLE ${table}`)
    expect((await world.check()).findings).toEqual([])
  })
})
