// The real embedded log and the real state around a propagator, on clocks that the test moves, with a place to inject faults between them.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '@svc-server/errors'
import {
  type CommittedOffset,
  type EmbeddedLog,
  type NewRecord,
  openEmbeddedLog,
  type PartitionContext,
  type RecordPosition,
} from '@svc-server/log'
import { groupNames, type TopicName, topicNames, topicSpecs } from '@svc-server/schema'
import { loadSettings } from '@svc-server/service/configuration'
import { createHealth, type Health } from '@svc-server/service/health'
import { createLogger } from '@svc-server/service/logs'
import { createMetricRegistry } from '@svc-server/service/metrics'
import { type ManualClock, manualClock, temporaryDirectory, waitFor } from '@svc-server/testkit'
import { createStagingPropagator, type StagingPropagator } from '../src/app.ts'
import { type PropagatorConfig, propagatorConfig, propagatorVariables } from '../src/settings.ts'
import { type Published, readPublished } from './published.ts'
import { newRecord, type StagedRecord, startMs } from './staged.ts'

const logger = createLogger({ service: 'test', level: 'silent' })

/** Short windows, because a wait for the end of one takes real time; everything else as in production. */
export const testConfig: PropagatorConfig = {
  ...propagatorConfig(loadSettings([propagatorVariables], {}, { service: 'test' }).of(propagatorVariables)),
  windowMs: 360,
  graceMs: 20,
}

/** What becomes of a commit with records. `lost`: it is done, and its answer never comes. */
export type Fate = 'done' | 'refused' | 'lost'

export interface Faults {
  /** Asked for every commit of a publication. */
  fate: (partition: number) => Fate
  /** Just before spans.staging is read. */
  beforeReading: () => Promise<unknown>
  /** Reads of spans.staging find nothing behind their offset, and the answer puts the log's end there, or where it is. */
  hidesStaged: 'behind the end' | 'below the high watermark' | null
  /** The next read does so, below the high watermark. */
  hidesOnce: boolean
  /** Asked for what the group has committed: answers so many times with something older than what this process knows of. */
  olderCommits: number
  /** Which one: of all that it knows of but the newest, and of nothing committed. */
  pickOlder: (count: number) => number
  /** From the first commit that is not simply done: the process is as good as dead, nothing it asks for is done any more. */
  deadly: boolean
}

export interface RunningPropagator {
  readonly service: StagingPropagator
  readonly health: Health
  readonly faults: Faults
  readonly bugs: readonly unknown[]
  /** A commit was refused or lost, and it was to be deadly. */
  readonly isDead: boolean
  /** Handlers at work. */
  readonly busy: number
  /** Handlers that have ended: each has read its partition to the end, or published. */
  readonly turns: number
  /** What was read of spans.staging. */
  readonly reads: readonly { readonly partition: number; readonly from: number; readonly maxBytes: number }[]
  /** Value of a metric's series, summed over all of its labels that match. */
  metric(name: string, labels?: string): Promise<number>
}

export interface World extends AsyncDisposable {
  /** Append time of the log. */
  readonly clock: ManualClock
  /** The propagator's own. */
  readonly monotonic: ManualClock
  readonly log: EmbeddedLog
  readonly running: RunningPropagator
  readonly stateDirectory: string
  readonly logDirectory: string
  /** Moves both clocks. */
  advance(ms: number): void
  stage(records: readonly (StagedRecord | NewRecord)[]): Promise<readonly RecordPosition[]>
  start(config?: Partial<PropagatorConfig>): Promise<RunningPropagator>
  /** Ends the propagator, and the log with it; `start` goes on in the same directories. */
  stop(): Promise<void>
  /** Ends the propagator alone: staging goes on. */
  drain(): Promise<void>
  loseState(): void
  /** Lets time pass until everything staged is published, repairs too. */
  settled(timeoutMs?: number): Promise<void>
  backlog(): Promise<number>
  published(): Promise<Published>
}

export interface WorldOptions {
  readonly partitions?: number
  readonly maxTopicBytes?: Partial<Record<TopicName, number>>
  readonly config?: Partial<PropagatorConfig>
}

const stepMs = 60

export async function createWorld({ partitions = 2, maxTopicBytes = {}, config: ofWorld = {} }: WorldOptions = {}): Promise<World> {
  const directory = await temporaryDirectory('svc-propagator-')
  const stateDirectory = join(directory.path, 'state')
  const clock = manualClock(startMs)
  const monotonic = manualClock(1_000_000)
  const topics = topicSpecs({
    embedded: true,
    writeMode: 'events_only',
    enabledReaders: [groupNames.writer, groupNames.propagator],
    partitions: { staging: partitions },
    maxTopicBytes,
  })
  const openLog = () => openEmbeddedLog({ directory: join(directory.path, 'log'), topics, clock: clock.now })
  let log = await openLog()
  let isOpen = true
  let running: RunningPropagator | undefined

  const backlog = async (): Promise<number> => {
    const lags = await log.lag()
    return lags.reduce((sum, { group, lagRecords }) => (group === groupNames.propagator ? sum + lagRecords : sum), 0)
  }
  const advance = (ms: number): void => {
    clock.advance(ms)
    monotonic.advance(ms)
  }
  const drain = async (): Promise<void> => {
    await running?.service.drain()
    running = undefined
  }
  const stop = async (): Promise<void> => {
    await drain()
    await log.close()
    isOpen = false
  }

  return {
    clock,
    monotonic,
    stateDirectory,
    logDirectory: join(directory.path, 'log'),
    advance,
    backlog,
    drain,
    stop,
    get log() {
      return log
    },
    get running() {
      return running!
    },

    stage: records =>
      log.append(
        topicNames.staging,
        records.map(record => ('spans' in record ? newRecord(record) : record)),
      ),

    async start(config = {}) {
      if (!isOpen) log = await openLog()
      isOpen = true
      running = createRunning(log, stateDirectory, { ...testConfig, ...ofWorld, ...config }, { clock, monotonic })
      await running.service.start()
      return running
    },

    loseState: () => rmSync(stateDirectory, { recursive: true, force: true }),

    async settled(timeoutMs = 60_000) {
      const isSettled = async () => {
        if (running!.bugs.length > 0 || running!.isDead) return true
        if ((await backlog()) === 0 && running!.busy === 0) return true
        advance(stepMs)
        return false
      }
      await waitFor(isSettled, { what: 'everything staged to be published', timeoutMs, everyMs: 4 })
      if (running!.bugs.length > 0) throw running!.bugs[0]
    },

    published: () => readPublished(log),

    async [Symbol.asyncDispose]() {
      if (isOpen) await stop()
      await directory.remove()
    },
  }
}

function createRunning(
  log: EmbeddedLog,
  directory: string,
  config: PropagatorConfig,
  { clock, monotonic }: Pick<World, 'clock' | 'monotonic'>,
): RunningPropagator {
  const metrics = createMetricRegistry({ runtime: false })
  const health = createHealth()
  const bugs: unknown[] = []
  const faults: Faults = {
    fate: () => 'done',
    beforeReading: async () => {},
    hidesStaged: null,
    hidesOnce: false,
    olderCommits: 0,
    pickOlder: () => 0,
    deadly: false,
  }
  let isDead = false
  let busy = 0
  let turns = 0
  const reads: { partition: number; from: number; maxBytes: number }[] = []
  const gone = () => new AppError('log_unavailable', 'The log did not answer.')

  const known = new Map<number, CommittedOffset[]>()
  const learn = (partition: number, commit: CommittedOffset) => known.set(partition, [...(known.get(partition) ?? []), commit])
  const asCommitted = (partition: number, truth: CommittedOffset | undefined): CommittedOffset | undefined => {
    const older = (known.get(partition) ?? []).slice(0, -1)
    if (faults.olderCommits === 0 || !known.has(partition)) return truth
    faults.olderCommits--
    return [undefined, ...older][faults.pickOlder(older.length + 1)]
  }

  const commitWith =
    (context: PartitionContext, partition: number): PartitionContext['commitWith'] =>
    async (offset, metadata, appends) => {
      const fate = isDead ? 'refused' : faults.fate(partition)
      if (fate !== 'done' && faults.deadly) isDead = true
      if (fate !== 'refused') await context.commitWith(offset, metadata, appends)
      if (fate !== 'done') throw gone()
      learn(partition, { offset, metadata })
    }
  const unlessDead =
    <Args extends readonly unknown[], Result>(action: (...args: Args) => Promise<Result>) =>
    (...args: Args): Promise<Result> =>
      isDead ? Promise.reject(gone()) : action(...args)

  const faulty: EmbeddedLog = {
    ...log,
    read: unlessDead(async (topic, partition, from, maxBytes) => {
      if (topic === topicNames.staging) {
        reads.push({ partition, from, maxBytes })
        await faults.beforeReading()
      }
      const batch = await log.read(topic, partition, from, maxBytes)
      if (topic !== topicNames.staging || (faults.hidesStaged === null && !faults.hidesOnce)) return batch
      faults.hidesOnce = false
      return { ...batch, records: [], nextOffset: from, ...(faults.hidesStaged === 'behind the end' && { highWatermark: from }) }
    }),
    consume: options =>
      log.consume({
        ...options,
        onAssigned(partitions) {
          for (const { partition, committed } of partitions) if (committed) learn(partition, committed)
          return options.onAssigned!(partitions)
        },
        async onBatch(batch, context) {
          busy++
          try {
            return await options.onBatch(batch, {
              signal: context.signal,
              get committed() {
                return asCommitted(batch.partition, context.committed)
              },
              heartbeat: () => context.heartbeat(),
              commit: unlessDead(async (offset, metadata) => {
                await context.commit(offset, metadata)
                learn(batch.partition, { offset, metadata })
              }),
              commitWith: commitWith(context, batch.partition),
            })
          } finally {
            busy--
            turns++
          }
        },
      }),
  }
  const service = createStagingPropagator(config, {
    log: faulty,
    directory,
    logger,
    metrics,
    health,
    clock: clock.now,
    monotonicNow: monotonic.now,
    onBug: error => bugs.push(error),
  })
  return {
    service,
    health,
    faults,
    bugs,
    reads,
    get isDead() {
      return isDead
    },
    get busy() {
      return busy
    },
    get turns() {
      return turns
    },
    async metric(name, labels = '') {
      const lines = (await metrics.render()).split('\n').filter(line => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
      return lines.filter(line => line.includes(labels)).reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
    },
  }
}
