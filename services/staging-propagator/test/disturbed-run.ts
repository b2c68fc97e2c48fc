// Runs one random history of a propagator. The spans arrive in random order over hours of log time. Restarts, crashes, lost responses and
// lost state disturb the propagator. The result must equal the result of an undisturbed run.
import { crash, createRandom, fateAfter, type Random } from '@svc-server/testkit'
import type { PropagatorConfig } from '../src/settings.ts'
import { itemProblems, randomItems } from './item-model.ts'
import { fillProblems, randomTrace, shuffle } from './model.ts'
import { type Published, problemsOf, repairsOf } from './published.ts'
import { newItemRecord, type StagedItem, type StagedRecord } from './staged.ts'
import { createWorld } from './world.ts'

export interface RunOptions {
  readonly seed: string
  readonly traces: number
  readonly slots: number
  readonly maxSpans: number
  /** Probability of a disturbance after the records of each slot. */
  readonly disturbances: number
  /** If set, the run has only this kind of disturbance. */
  readonly only?: Disturbance
}

export interface RunReport {
  readonly problems: readonly string[]
  readonly spans: number
  readonly repaired: number
  /** Number of spans that were published again. If a propagator crashes, its count is lost and therefore missing from this number. */
  readonly republished: number
  /**
   * Number of traces in published windows, read from the propagator's metric. If a propagator crashes, its count is lost and therefore
   * missing from this number.
   */
  readonly exits: number
  /** Number of traces in published windows, counted in the records of `trace.attributes`. */
  readonly traceWindows: number
  readonly happened: readonly string[]
}

type Disturbance = 'settle' | 'absence' | 'restart' | 'loss' | 'crash' | 'crash and loss' | 'glitch' | 'older commits' | 'compaction'
const disturbances: readonly Disturbance[] = [
  ...(['settle', 'absence', 'restart', 'loss', 'crash and loss', 'compaction'] as const),
  ...(['crash', 'crash', 'glitch', 'glitch', 'older commits'] as const),
]

const hour = 3_600_000
/** Maximum sum of the pauses between the records of a run. The sum is less than the 48 hours for which the log keeps trace attributes. */
const longestHistoryMs = 40 * hour

/**
 * Chooses random sizes, from one record per range to one range for all records. The sizes of ranges and windows determine at which points a
 * disturbance can interrupt the run.
 */
const randomConfig = (random: Random): Partial<PropagatorConfig> => ({
  publishBytes: random.pick([1, 1200, 4 << 20]),
  readBytes: random.pick([1, 2000, 4 << 20]),
  maxWindowRecords: random.pick([4, 1_000_000]),
})

export async function disturbedRun({ seed, traces, slots, maxSpans, disturbances: share, only }: RunOptions): Promise<RunReport> {
  const random = createRandom(seed)
  const bySlot = Array.from({ length: slots }, (): (StagedRecord | StagedItem)[] => [])
  const sent: StagedRecord[] = []
  const items: StagedItem[] = []
  for (let number = 0; number < traces; number++) {
    const records = randomTrace(random, { number, maxSpans })
    const ofTrace = randomItems(random, records)
    for (const each of [...records, ...ofTrace]) random.pick(bySlot).push(each)
    sent.push(...records)
    items.push(...ofTrace)
  }
  const happened: string[] = []
  let republished = 0
  let exits = 0
  let isAway = false
  await using world = await createWorld({ partitions: random.integer(1, 3), config: randomConfig(random) })
  const remember = async () => {
    republished += await world.running.metric('svc_propagator_republished_spans_total')
    exits += await world.running.metric('svc_propagator_window_exit_total')
  }
  const restart = async (loses: boolean) => {
    await remember()
    await world.stop()
    if (loses) world.loseState()
    await world.start()
  }

  const happens: Readonly<Record<Disturbance, () => Promise<void>>> = {
    settle: () => world.settled(),
    // Windows accumulate while no owner runs.
    absence: async () => {
      await remember()
      await world.drain()
      isAway = true
    },
    compaction: () => world.log.maintain(),
    restart: () => restart(false),
    loss: () => restart(true),
    crash: async () => {
      await crash(world, world.running.faults, random)
      await restart(false)
    },
    'crash and loss': async () => {
      await crash(world, world.running.faults, random)
      await restart(true)
    },
    glitch: async () => {
      const { faults } = world.running
      faults.fate = fateAfter(random.integer(0, 2), random, () => (faults.fate = () => 'done'))
    },
    // Tests F47.
    'older commits': async () => {
      const { faults } = world.running
      faults.olderCommits = random.integer(1, 3)
      faults.pickOlder = count => random.integer(0, count - 1)
      await happens.glitch()
      if (only !== undefined) await world.settled()
    },
  }

  await world.start()
  let historyMs = 0
  for (const records of bySlot) {
    shuffle(random, records)
    for (let from = 0; from < records.length; ) {
      const size = random.integer(1, 8)
      await world.stage(records.slice(from, from + size).map(each => ('spans' in each ? each : newItemRecord(each))))
      from += size
    }
    const wanted = random.next() < 0.15 ? random.integer(1, 8) * hour : random.integer(0, 500)
    const passed = Math.min(wanted, longestHistoryMs - historyMs)
    historyMs += passed
    world.advance(passed)
    if (isAway) {
      isAway = false
      await world.start()
    } else if (random.next() >= share) continue
    const disturbance = only ?? random.pick(disturbances)
    happened.push(disturbance)
    await happens[disturbance]()
  }
  if (isAway) await world.start()
  world.running.faults.fate = () => 'done'
  if (share > 0) {
    await crash(world, world.running.faults, random)
    await restart(random.next() < 0.3)
  }
  await world.settled()
  await remember()
  const published = await world.published()
  return {
    problems: [...problemsOf(published), ...fillProblems(sent, published.spans), ...itemProblems(sent, items, published.spans)],
    spans: published.spans.length,
    repaired: repairedSpans(published),
    republished,
    exits,
    traceWindows: new Set(published.windows.map(({ key }) => key)).size,
    happened,
  }
}

const repairedSpans = (published: Published): number => repairsOf(published).reduce((sum, { spans }) => sum + spans, 0)
