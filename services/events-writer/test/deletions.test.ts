import { deletableTables } from '@svc-server/deletions/tables'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { type Command, commandKey, encodeCommand } from '@svc-server/schema/command'
import { deadLetterForm } from '@svc-server/schema/dead-letter'
import { encodeRunItem } from '@svc-server/schema/run-item'
import { encodeScoreEvent } from '@svc-server/schema/score-event'
import { waitFor } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import type { Finished, Schedule } from '../src/deletions/executor.ts'
import { createDeletableRows } from '../src/deletions/rows.ts'
import { eachTestHasItsWorld, world } from './each-world.ts'
import { entity, iso, onLog } from './entities.ts'
import { runItemOf } from './run-items.ts'
import { scoreEvent } from './scores.ts'
import { now, projectId, spanBatch } from './world.ts'

eachTestHasItsWorld('before the test', { writeMode: 'dual' })

const schedule: Schedule = {
  pollMs: 10,
  sweepsMs: [0, 50, 100],
  everyMs: 600,
  knownMs: 300,
  windowsMs: 2_000,
  removalMs: 200,
  deadLettersMs: 0,
  standingMs: 300,
}
const seeds = { deleted: 'deadbeef', neighbor: 'cafecafe' }
const traceOf = (seed: string) => Buffer.from(`${seed}00000000`.repeat(2)).toString('hex').slice(0, 32)
const traces = { deleted: traceOf(seeds.deleted), neighbor: traceOf(seeds.neighbor) }

/** Sends spans, a merged trace, an observation, a score and a run item for each trace. */
async function send(): Promise<void> {
  for (const [name, seed] of Object.entries(seeds)) {
    const traceId = traces[name as keyof typeof traces]
    // The spans of both traces have the same ids. The old table `observations` distinguishes the spans by their day.
    await world.append(topicNames.direct, spanBatch({ count: 5, seed, startMs: name === 'deleted' ? now : now - 86_400_000 }))
    const trace = entity('trace', traceId, { body: { name, timestamp: iso(now) } })
    const observation = entity('observation', `${name}-o`, { body: { name, startTime: iso(now), traceId } })
    await world.log.append(topicNames.entities, [onLog(trace), onLog(observation)])
    await world.append(topicNames.scores, encodeScoreEvent(scoreEvent({ id: `${name}-s`, traceId })))
    await world.append(topicNames.runItems, encodeRunItem(runItemOf({ id: `${name}-r`, traceId })))
  }
}

const letterOf = (traceId: string, index: number) =>
  deadLetterForm.encode({
    ...{ topic: topicNames.scores, partition: 0, offset: 0, index, stage: 'encode', reason: 'start_time_range', message: '' },
    ...{ owner: projectId, raw: encodeScoreEvent(scoreEvent({ traceId })), atMs: Date.now() },
  })

const remove = (traceId: string | null) => say(traceId === null ? 'delete_project' : 'delete_trace', traceId, null)

async function say(kind: Command['kind'], traceId: string | null, value: boolean | null): Promise<void> {
  const command = { projectId, kind, traceId, value, acceptedAtMs: now } as const
  await world.log.append(topicNames.commands, [{ key: Buffer.from(commandKey(command)), value: encodeCommand(command) }])
}

/** A backfill copies rows into these tables. The tables remain until an operator drops them. */
const scratch = {
  observations_pid_tid_sorting: 'observations',
  traces_pid_tid_sorting: 'traces',
  backfill_experiments: 'dataset_run_items_rmt',
}
const withTraces = deletableTables.flatMap(({ table, trace }) => (trace === null || table in scratch ? [] : [{ table, trace }]))

async function commandsLeft(): Promise<number> {
  const { partitions } = (await world.log.describe()).find(({ spec }) => spec.name === topicNames.commands)!
  const committed = await world.log.committed(groupNames.deletions, topicNames.commands)
  return partitions.reduce((sum, { partition, highWatermark }) => sum + highWatermark - (committed.get(partition)?.offset ?? 0), 0)
}

/** Counts the trace's rows in each table. With `FINAL`, it counts only the rows that a reader sees. */
async function rowsOf(traceId: string, final: '' | 'FINAL') {
  const counts = withTraces.map(async ({ table, trace }) => {
    const [row] = await world.columnStore.query<{ n: string }>(`SELECT count() AS n FROM ${table} ${final} WHERE ${trace} = '${traceId}'`)
    return [table, Number(row!.n)] as const
  })
  return Object.fromEntries(await Promise.all(counts))
}

const everything = { events_full: 5, events_core: 5, observations: 6, traces: 1, scores: 1, dataset_run_items_rmt: 1 }
const nothing = Object.fromEntries(Object.keys(everything).map(table => [table, 0]))

/** Starts merges again. A DELETE is a mutation, and mutations wait while merges are stopped. */
async function mergesAgain(): Promise<void> {
  for (const { table } of deletableTables.filter(({ table }) => !(table in scratch)))
    await world.columnStore.command(`SYSTEM START MERGES ${world.columnStore.database}.${table}`)
}

test('a deleted trace has no row in any table, its neighbor is complete, and repeated records are denied', async () => {
  await send()
  const finished: Finished[] = []
  const start = async () => {
    const writer = world.writer({ config: { deletionSchedule: schedule }, onDeleted: async some => void finished.push(...some) })
    await writer.service.start()
    return writer
  }
  const writer = await start()
  await world.settled()
  expect(await rowsOf(traces.deleted, 'FINAL')).toEqual(everything)
  await mergesAgain()
  for (const [index, traceId] of Object.values(traces).entries()) await world.append(topicNames.deadLetter, letterOf(traceId, index))
  for (const [table, of] of Object.entries(scratch)) await world.columnStore.command(`CREATE TABLE ${table} AS ${of}`)
  for (const [table, of] of Object.entries(scratch)) await world.columnStore.command(`INSERT INTO ${table} SELECT * FROM ${of}`)
  await remove(traces.deleted)
  await waitFor(async () => finished.length > 0, { what: 'the deletion to be carried out' })
  for (const [table, of] of Object.entries(scratch)) {
    const trace = of === 'traces' ? 'id' : 'trace_id'
    expect(await world.columnStore.query(`SELECT DISTINCT ${trace} AS trace FROM ${table}`)).toEqual([{ trace: traces.neighbor }])
  }
  expect((await world.deadLetters()).map(({ index }) => index)).toEqual([1])
  expect(finished).toMatchObject([{ projectId, traceId: traces.deleted, acceptedAtMs: now }])
  expect(await rowsOf(traces.deleted, '')).toEqual(nothing)
  expect(await rowsOf(traces.neighbor, 'FINAL')).toEqual(everything)
  await world.settled()
  expect((await world.check()).findings).toEqual([])
  // Sends the same items a second time, like a client's retry. After a restart, the test sends them once more.
  await send()
  await world.settled()
  expect(await rowsOf(traces.deleted, 'FINAL')).toEqual(nothing)
  await writer.service.drain()
  await start()
  await send()
  await world.settled()
  expect(await rowsOf(traces.deleted, 'FINAL')).toEqual(nothing)
  expect(await rowsOf(traces.neighbor, 'FINAL')).toEqual(everything)
  expect((await world.check()).findings).toEqual([])
  expect(writer.bugs).toEqual([])
})

test('deleted rows are hidden immediately, and neither repeated records nor a merge make them reappear', async () => {
  await send()
  const writer = world.writer()
  await writer.service.start()
  await world.settled()
  const rows = createDeletableRows(world.columnStore)
  const deleted = [{ projectId, traceId: traces.deleted }]
  await world.columnStore.command('CREATE TABLE copy AS events_full')
  await world.columnStore.command('INSERT INTO copy SELECT * FROM events_full')
  await rows.hide(deleted)
  expect(await rowsOf(traces.deleted, 'FINAL')).toEqual(nothing)
  const raw = await rowsOf(traces.deleted, '')
  // Hides all rows a second time. This call must add no rows.
  await rows.hide(deleted)
  expect(await rowsOf(traces.deleted, '')).toEqual(raw)
  await world.columnStore.command('INSERT INTO events_full SELECT * FROM copy SETTINGS insert_deduplicate = 0')
  expect(await rowsOf(traces.deleted, 'FINAL')).toEqual(nothing)
  await world.columnStore.command('INSERT INTO events_full SELECT * REPLACE (event_ts + INTERVAL 1 SECOND AS event_ts) FROM copy')
  expect((await rowsOf(traces.deleted, 'FINAL'))['events_full']).toBe(5)
  await rows.hide(deleted)
  await world.columnStore.command(`SYSTEM START MERGES ${world.columnStore.database}.events_full`)
  await world.columnStore.command('OPTIMIZE TABLE events_full FINAL')
  expect(await rowsOf(traces.deleted, 'FINAL')).toEqual(nothing)
  expect(await rowsOf(traces.neighbor, 'FINAL')).toEqual(everything)
  await mergesAgain()
  await waitFor(() => rows.remove(deleted), { what: 'the rows to be gone' })
  expect(await rowsOf(traces.deleted, '')).toEqual(nothing)
  expect(await rowsOf(traces.neighbor, 'FINAL')).toEqual(everything)
})

test('a deleted project has no row in any table', async () => {
  await send()
  const finished: Finished[] = []
  const writer = world.writer({ config: { deletionSchedule: schedule }, onDeleted: async some => void finished.push(...some) })
  await writer.service.start()
  await mergesAgain()
  await remove(null)
  await waitFor(async () => finished.length > 0, { what: 'the deletion to be carried out' })
  await world.settled()
  expect(await rowsOf(traces.neighbor, 'FINAL')).toEqual(nothing)
  expect((await world.check()).findings).toEqual([])
})

test('trace flags change in both events tables, also on much later rows and by a later process; a neighbor keeps its flags', async () => {
  await send()
  const config = { deletionSchedule: { ...schedule, windowsMs: 100 } }
  let writer = world.writer({ config })
  await writer.service.start()
  await world.settled()
  await mergesAgain()
  const flagged = async (flag: string, traceId: string) => {
    const counts = ['events_full', 'events_core'].map(async table => {
      const [row] = await world.columnStore.query<{ n: string; roots: string }>(
        `SELECT countIf(${flag}) AS n, countIf(${flag} AND parent_span_id = '') AS roots FROM ${table} FINAL WHERE trace_id = '${traceId}'`,
      )
      return [Number(row!.n), Number(row!.roots)] as const
    })
    return Promise.all(counts)
  }
  const [roots] = await world.columnStore.query<{ n: string }>(
    `SELECT count() AS n FROM events_core FINAL WHERE trace_id = '${traces.deleted}' AND parent_span_id = ''`,
  )
  const are = (flag: string, n: number, ofRoots = n) =>
    waitFor(async () => JSON.stringify(await flagged(flag, traces.deleted)) === JSON.stringify(Array(2).fill([n, ofRoots])), {
      ...{ what: `${n} rows to be ${flag}`, timeoutMs: 120_000 },
    })
  await say('set_public', traces.deleted, true)
  await say('set_bookmarked', traces.deleted, true)
  // The last command wins, even if it repeats an earlier command.
  await say('set_bookmarked', traces.deleted, false)
  await say('set_bookmarked', traces.deleted, true)
  await are('public', 5, Number(roots!.n))
  await are('bookmarked', Number(roots!.n))
  // Waits until the commands are done. Otherwise, the new process would execute the commands again.
  await waitFor(async () => (await commandsLeft()) === 0, { what: 'the commands to be done' })
  await writer.service.drain()
  writer = world.writer({ config })
  await writer.service.start()
  await world.append(topicNames.direct, spanBatch({ count: 7, seed: seeds.deleted, startMs: now }))
  await world.settled()
  await are('public', 7, Number(roots!.n) === 0 ? 0 : 7)
  expect(await flagged('public', traces.neighbor)).toEqual([
    [0, 0],
    [0, 0],
  ])
  await say('set_public', traces.deleted, false)
  await are('public', 0)
  expect((await world.check()).findings).toEqual([])
  expect(writer.bugs).toEqual([])
})

test('no version of a score from before its deletion is shown, whenever and under whatever key it is stored; a later version is shown', async () => {
  const score = (more: Parameters<typeof scoreEvent>[0]) =>
    world.append(topicNames.scores, encodeScoreEvent(scoreEvent({ id: 's', ...more })))
  for (let key = 0; key < 30; key++) await score({ name: `name ${key}`, timestampUs: (now - (key % 3) * 86_400_000) * 1000 })
  await score({ id: 'neighbor' })
  await say('delete_score', 's', null)
  const shown = async () =>
    (await world.columnStore.query<{ id: string; name: string }>('SELECT id, name FROM scores FINAL ORDER BY id, name')).map(
      ({ id, name }) => `${id} ${name}`,
    )
  const writer = world.writer({ config: { deletionSchedule: schedule } })
  await writer.service.start()
  await world.settled()
  await waitFor(async () => (await shown()).join() === 'neighbor quality', { what: 'the score to be hidden' })
  await waitFor(async () => (await commandsLeft()) === 0, { what: 'the command to be done' })
  await score({ name: 'name 1' })
  await world.settled()
  expect(await shown()).toEqual(['neighbor quality', 's name 1'])
  expect((await world.check()).findings).toEqual([])
  expect(writer.bugs).toEqual([])
})

test('an entity whose newest version is in a deleted trace is deleted with all older versions and keys; an entity that moved out of it stays', async () => {
  const [into, out] = [traces.deleted, traces.neighbor]
  const first = { name: 'quality', timestampUs: now * 1000 }
  const moves = { 'to another key': { name: 'renamed', timestampUs: (now - 86_400_000) * 1000 }, 'under its key': first }
  const writer = world.writer({ config: { deletionSchedule: schedule } })
  await writer.service.start()
  const send = async (place: 'first' | 'then') => {
    for (const [move, then] of Object.entries(moves)) {
      const key = place === 'first' ? first : then
      const [inTrace, outTrace] = place === 'first' ? [out, into] : [into, out]
      await world.append(topicNames.scores, encodeScoreEvent(scoreEvent({ ...key, id: `in ${move}`, traceId: inTrace })))
      await world.append(topicNames.scores, encodeScoreEvent(scoreEvent({ ...key, id: `out ${move}`, traceId: outTrace })))
    }
    // Waits until these items are stored. Without this wait, the next items could get the same versions as these items.
    await world.settled()
  }
  await send('first')
  await send('then')
  // Adds a trace that v3 moved to another day. Also adds observations that v3 moved to another trace. The move to another trace does not
  // change an observation's key.
  const at = (ms: number) => `fromUnixTimestamp64Milli(${ms})`
  await world.columnStore.command(
    `INSERT INTO traces (project_id, id, timestamp, event_ts) VALUES
     ('${projectId}', '${into}', ${at(now - 86_400_000)}, ${at(now)}), ('${projectId}', '${into}', ${at(now)}, ${at(now + 1)})`,
  )
  for (const [version, inTrace, outTrace] of [[now, out, into] as const, [now + 1, into, out] as const]) {
    await world.columnStore.command(
      `INSERT INTO observations (project_id, trace_id, id, type, start_time, event_ts) VALUES
       ('${projectId}', '${inTrace}', 'in', 'SPAN', ${at(now)}, ${at(version)}), ('${projectId}', '${outTrace}', 'out', 'SPAN', ${at(now)}, ${at(version)})`,
    )
  }
  const shown = async () => {
    const of = async (table: string, trace: string) =>
      world.columnStore.query(`SELECT id, ${trace} AS trace FROM ${table} FINAL ORDER BY id`)
    return { scores: await of('scores', 'trace_id'), observations: await of('observations', 'trace_id'), traces: await of('traces', 'id') }
  }
  const left = {
    scores: Object.keys(moves).map(move => ({ id: `out ${move}`, trace: out })),
    observations: [{ id: 'out', trace: out }],
    traces: [],
  }
  await remove(into)
  await waitFor(async () => JSON.stringify(await shown()) === JSON.stringify(left), { what: 'all of it to be hidden' })
  await mergesAgain()
  await waitFor(async () => (await commandsLeft()) === 0, { what: 'the deletion to be carried out' })
  expect(await shown()).toEqual(left)
  expect((await world.check()).findings).toEqual([])
  expect(writer.bugs).toEqual([])
})
