// Runs one random history of a merger. Events and spans arrive in any order. The merger is disturbed by restarts, by crashes, by commits
// whose result is unknown, and by losses of its local state. The final tables must equal the tables after a single merge of all events.
import type { OlderRow } from '@svc-server/entities/older-row'
import type { LogRecord } from '@svc-server/log'
import { topicNames } from '@svc-server/modes/names'
import type { WriteMode } from '@svc-server/modes/write-mode'
import { decodeEntity } from '@svc-server/schema/entity'
import { crash, createRandom, fateAfter, type Random } from '@svc-server/testkit'
import { randomEvent, randomSpans, traceIdOf } from './events.ts'
import { readTopic, startMs } from './spans.ts'
import { expectedTables, isStagedEntity, publishedTables } from './tables.ts'
import { createMergerWorld } from './world.ts'

export interface HistoryOptions {
  readonly seed: string
  readonly records: number
  readonly traces: number
  readonly writeMode: WriteMode
  /** Probability of a disturbance after an append. With 0, nothing disturbs the run. */
  readonly disturbances: number
}

const disturbances = ['settle', 'restart', 'loss', 'crash', 'crash and loss', 'glitch', 'glitch', 'compaction'] as const

export async function mergerHistory({ seed, records, traces, writeMode, disturbances: share }: HistoryOptions) {
  const random = createRandom(seed)
  const older = olderRows(random, traces)
  const config = { readBytes: random.pick([1, 2000, 4 << 20]), chunkBytes: random.pick([1, 3000, 16 << 20]) }
  await using world = await createMergerWorld({
    writeMode,
    config,
    partitions: random.integer(1, 3),
    older: {
      find: async entities =>
        new Map(
          entities.flatMap(({ projectId, entityType, entityId }) => {
            const key = `${projectId}/${entityType}/${entityId}`
            const row = older.get(key)
            return row === undefined ? [] : [[key, { row, root: null }] as const]
          }),
        ),
    },
  })
  const happened: string[] = []
  const restart = async (loses: boolean) => {
    await world.stop()
    if (loses) world.loseState()
    await world.start()
  }
  const happens: Readonly<Record<(typeof disturbances)[number], () => Promise<unknown>>> = {
    settle: () => world.settled(),
    restart: () => restart(false),
    loss: () => restart(true),
    crash: async () => {
      await crash(world, world.faults, random)
      await restart(false)
    },
    'crash and loss': async () => {
      await crash(world, world.faults, random)
      await restart(true)
    },
    glitch: async () => {
      world.faults.fate = fateAfter(random.integer(0, 3), random, () => (world.faults.fate = () => 'done'))
    },
    compaction: () => world.log.maintain(),
  }
  await world.start()
  for (let number = 0; number < records; ) {
    const size = random.integer(1, 6)
    for (let i = 0; i < size; i++, number++) {
      const { topic, record } =
        random.next() < 0.7 ? randomEvent(random, number, traces, [null]) : randomSpans(random, number, traces, null)
      for (let again = 0; again < (random.next() < 0.1 ? 2 : 1); again++) await world.append(topic, [record])
    }
    world.clock.advance(random.integer(0, 3))
    if (random.next() >= share) continue
    const disturbance = random.pick(disturbances)
    happened.push(disturbance)
    await happens[disturbance]()
  }
  world.faults.fate = () => 'done'
  if (share > 0) {
    await crash(world, world.faults, random)
    await restart(random.next() < 0.3)
  }
  await world.settled()
  const inputs = await Promise.all(['ingestion', 'spans.direct', 'spans.overflow'].map(topic => readTopic(world.log, topic)))
  const staging = await readTopic(world.log, topicNames.staging)
  const staged = staging.filter(isStagedEntity)
  const spans = staging.filter(record => !isStagedEntity(record))
  const entities = await readTopic(world.log, topicNames.entities)
  const dual = writeMode === 'dual'
  const ofSpans = dual ? spans : []
  const published = publishedTables(entities, staged)
  const expected = expectedTables([...inputs.flat(), ...ofSpans], older, dual)
  return {
    happened,
    entities: entities.length,
    deadLetters: (await readTopic(world.log, topicNames.deadLetter)).length,
    problems: versionProblems(entities),
    published: { old: published.old.live(), events: published.events.live() },
    expected: { old: expected.old.live(), events: expected.events.live() },
  }
}

/** Compares each record of an entity with the previous record of that entity. A record that differs must have a higher version. */
function versionProblems(records: readonly LogRecord[]): string[] {
  const problems: string[] = []
  for (const [key, all] of Map.groupBy(records, ({ key: bytes }) => bytes!.toString())) {
    for (const [at, { value }] of all.entries()) {
      const before = all[at - 1]
      if (before === undefined || Buffer.from(before.value!).equals(value!)) continue
      if (decodeEntity(value!).versionMs <= decodeEntity(before.value!).versionMs) problems.push(`${key} goes back at ${at}`)
    }
  }
  return problems
}

/** Makes the rows that the old tables already have for some entities. */
function olderRows(random: Random, traces: number): ReadonlyMap<string, OlderRow> {
  const rows = new Map<string, OlderRow>()
  for (let number = 1; number <= traces; number++) {
    if (random.next() < 0.7) continue
    const at = startMs - random.integer(0, 2) * 86_400_000
    const row = { startMs: at, versionMs: startMs + 2500, createdMs: at, environment: 'default', metadata: { old: 'yes', a: '{"z":1}' } }
    rows.set(`project-a/trace/${traceIdOf(number)}`, { ...row, texts: { name: 'older', userId: 'zoe' }, tags: ['old'] })
    rows.set(`project-a/observation/o${number}`, { ...row, texts: { name: 'older', type: 'SPAN', traceId: traceIdOf(number) } })
  }
  return rows
}
