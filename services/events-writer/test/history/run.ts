import type { ColumnStore } from '@svc-server/column-store/port'
import type { ConservationReport } from '@svc-server/conservation/check/report'
import type { Engine } from '@svc-server/embedded-engine'
import { AppError } from '@svc-server/errors'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { waitFor } from '@svc-server/testkit'
import { commitAt } from '../commit-at.ts'
import { killAt } from '../kill.ts'
import { createWorld, now, type World } from '../world.ts'
import { type Found, foundIn, type Gone, idPrefix, isDeadLettered, isGone, type Sent } from './compare.ts'
import { deletionSchedule, expectedGone, remove } from './deletions.ts'
import { type EntitiesFound, entitiesIn, entityRecordsOf } from './entities.ts'
import { type Batch, type Length, type Life, type Plan, planOf, projectOf } from './plan.ts'

const month = 30 * 86_400_000
const partitions = [0, 1]
/**
 * Time limit for the halving of chunks. Halving takes dozens of inserts, probes and commits. Each of them can take seconds on a busy
 * machine.
 */
const patienceMs = 240_000
const timeout = () => new AppError('column_store_unavailable', 'Timeout error.')

export interface Told {
  readonly plan: Plan
  readonly found: Found
  readonly entities: EntitiesFound
  /** Findings of `svc check`, except for duplicate raw rows. */
  readonly findings: ConservationReport['findings']
  /** Number of spans that the audit reports as unaccounted after the test has deleted a row. Null if there was no row to delete. */
  readonly gauge: number | null
}

/** Runs a history. Empties `columnStore` first. */
export async function runHistory(engine: Engine, columnStore: ColumnStore, seed: number, of: Length): Promise<Told> {
  const plan = planOf(seed, of)
  for (const table of ['events_full', 'events_core', 'observations', 'traces', 'scores', 'ingest_ledger'])
    await columnStore.command(`TRUNCATE TABLE ${table}`)
  await refuse(columnStore, [])
  const sent: Sent[] = []
  const gone: Gone = { traces: new Set(), merged: new Set(), projects: new Set(), scores: new Set() }
  const late: Promise<void>[] = []
  let told: Omit<Told, 'plan'> | null = null
  for (const [number, lives] of plan.logs.entries()) {
    const world = await createWorld(engine, {}, Date.now, columnStore)
    try {
      for (const life of lives) await live({ engine, world, life, log: number, sent, gone, late })
      await Promise.allSettled(late)
      const deadLetters = await world.deadLetters()
      for (const each of sent.filter(({ log }) => log === number)) {
        const ofRecord = deadLetters.filter(({ partition, offset }) => partition === each.partition && offset === each.offset)
        each.deadLettered = ofRecord.some(({ index }) => index === null)
        each.deadLetters = new Set(ofRecord.flatMap(({ index }) => index ?? []))
      }
      if (number < plan.logs.length - 1) continue
      const found = await foundIn(columnStore, sent, gone)
      const entities = await entitiesIn(columnStore, sent, gone.merged)
      const ofThisLog = sent.filter(each => each.log === number && !isDeadLettered(each, 0) && !isGone(gone, each, 0))
      // A duplicate raw row is no defect here: it can result from a moved offset, a recreated log or changed rules.
      const findings = (await world.check()).findings.filter(({ kind }) => kind !== 'doubled')
      told = {
        found,
        entities,
        findings,
        gauge: ofThisLog.length > 0 ? await gaugeWithout(world, ofThisLog[seed % ofThisLog.length]!) : null,
      }
    } finally {
      await world.close()
    }
  }
  return { plan, ...told! }
}

/** Deletes the first row of a batch. Returns the number of spans that the audit of the next writer reports as unaccounted. */
async function gaugeWithout(world: World, { seed }: Batch): Promise<number> {
  const { columnStore } = world
  for (const table of ['events_full', 'events_core']) {
    // The tests stop merges. But the deletion is a mutation, and mutations wait for merges.
    await columnStore.command(`SYSTEM START MERGES ${columnStore.database}.${table}`)
    await columnStore.command(
      `ALTER TABLE ${table} DELETE WHERE name = 'span 0' AND startsWith(trace_id, '${idPrefix(seed)}') SETTINGS mutations_sync = 2`,
    )
    await columnStore.command(`SYSTEM STOP MERGES ${columnStore.database}.${table}`)
  }
  const writer = world.writer({ config: { ledgerAuditMs: 100, auditShare: 1 } })
  await writer.service.start()
  return waitFor(async () => (await writer.metric('svc_unaccounted_spans')) || null, { what: 'the audit to miss it', timeoutMs: 60_000 })
}

interface Living {
  readonly engine: Engine
  readonly world: World
  readonly life: Life
  readonly log: number
  readonly sent: Sent[]
  readonly gone: Gone
  readonly late: Promise<void>[]
}

async function live(living: Living): Promise<void> {
  const { engine, world, life, log, sent, gone, late } = living
  for (const batch of life.sent) sent.push(await send(world, batch, log, sent))
  if (life.movedBackTo !== null) await moveBack(world, life.movedBackTo, log, sent)
  await refuse(world.columnStore, life.refused)
  const faulty = withFault(engine, world.columnStore, life, late)
  const { chunkMaxRows, fetchMaxWaitMs, maxRecordBytes, brandAliases } = life
  const config = {
    chunkMaxRows,
    fetchMaxWaitMs,
    maxRecordBytes,
    brandAliases,
    fetchMinBytes: 1e6,
    deadLetterMin: 1e6,
    ledgerAuditMs: 3_600_000,
    deletionSchedule,
  }
  if (life.dies === null) {
    const writer = world.writer({ columnStore: faulty, config })
    await writer.service.start()
    await remove(living)
    await world.settled(patienceMs)
    await expectedGone(world, gone, patienceMs)
    return writer.service.drain()
  }
  const killed = killAt(life.dies, world.log, faulty)
  const writer = world.writer({ log: killed.log, columnStore: killed.columnStore, config })
  await writer.service.start()
  await remove(living)
  // Waits until the writer dies. The test never kills a writer that inserts nothing, so the wait also ends when all records are stored.
  await Promise.race([
    killed.reached,
    waitFor(async () => (await world.backlog()) === 0, { what: 'a death or the end', timeoutMs: patienceMs }),
  ])
  // Waits until the store has finished the inserts of the dead writer. In production as well, these inserts usually end before the next
  // writer starts. If such an insert ran after the next writer's probe (its lookup of the stored rows), the next writer would insert the
  // rows again, and the table would contain two raw rows for a span.
  await Promise.allSettled(late)
}

const refusedBy = new WeakMap<ColumnStore, string>()

/** Makes the column store refuse exactly the rows with these names. */
async function refuse(columnStore: ColumnStore, names: readonly string[]): Promise<void> {
  const { command } = columnStore
  const list = names.map(name => `'${name}'`).join(', ')
  if (refusedBy.get(columnStore) === list) return
  await command('ALTER TABLE events_full DROP CONSTRAINT IF EXISTS refused')
  if (names.length > 0) await command(`ALTER TABLE events_full ADD CONSTRAINT refused CHECK name NOT IN (${list})`)
  refusedBy.set(columnStore, list)
}

async function send(world: World, batch: Batch, log: number, sent: readonly Sent[]): Promise<Sent> {
  const { seed, count, partition, twoMonths } = batch
  const input = { key: 'acme.observation.level', value: { stringValue: 'WARNING' } }
  await world.send({
    seed,
    count,
    partition,
    projectId: projectOf(batch),
    more: [input],
    ...(twoMonths ? { startMs: now - month, stepMs: Math.floor((2 * month) / count) } : {}),
  })
  const { merged, filled } = entityRecordsOf(batch)
  await world.log.append(topicNames.entities, merged)
  await world.log.append(topicNames.filled, filled)
  const offset = sent.filter(each => each.log === log && each.partition === partition).length
  return { ...batch, log, offset, deadLettered: false, deadLetters: new Set() }
}

/** Moves the committed offsets back. Each partition first gets another record, because `commitAt` needs records after the offset. */
async function moveBack(world: World, share: number, log: number, sent: Sent[]): Promise<void> {
  for (const partition of partitions) {
    sent.push(
      await send(world, { seed: `m${log}${partition}n${sent.length}x`, count: 2, partition, twoMonths: false, entities: 2 }, log, sent),
    )
    const committed = (await world.log.committed(groupNames.writer, topicNames.direct)).get(partition)?.offset ?? 0
    if (committed > 0) await commitAt(world.log, Math.floor(committed * share), '', partition)
  }
}

function withFault(engine: Engine, columnStore: ColumnStore, { fault }: Life, late: Promise<void>[]): ColumnStore {
  if (fault === null) return columnStore
  let inserts = 0
  let refills = 0
  const isHit = (count: number) => count >= fault.at && count < fault.at + fault.times
  return {
    ...columnStore,
    async insert(request) {
      inserts += 1
      if (!isHit(inserts) || fault.kind === 'refill lost') return columnStore.insert(request)
      if (fault.kind === 'lost before the engine') throw timeout()
      if (fault.kind === 'late') {
        late.push(new Promise(resolve => setTimeout(() => columnStore.insert(request).then(resolve, () => resolve()), 30)))
        throw timeout()
      }
      // Kills the engine, unless the engine is still down after an earlier kill. The insert below then fails.
      if (fault.kind === 'engine killed' && engine.pid !== undefined) process.kill(engine.pid, 'SIGKILL')
      await columnStore.insert(request)
      throw timeout()
    },
    async command(sql, params) {
      if (fault.kind === 'refill lost' && sql.startsWith('INSERT INTO events_core') && isHit(++refills)) throw timeout()
      await columnStore.command(sql, params)
    },
  }
}
