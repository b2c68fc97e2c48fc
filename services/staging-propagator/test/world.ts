// Runs a propagator on the real embedded log and the real state. The tests move its clocks and inject faults.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { NewRecord, RecordPosition } from '@svc-server/log'
import { type EmbeddedLog, openEmbeddedLog } from '@svc-server/log/embedded'
import { groupNames, type TopicName, topicNames } from '@svc-server/modes/names'
import { topicSpecs } from '@svc-server/schema/topics'
import { loadSettings } from '@svc-server/service/configuration'
import { type ManualClock, manualClock, temporaryDirectory, waitFor } from '@svc-server/testkit'
import { type PropagatorConfig, propagatorConfig, propagatorVariables } from '../src/settings.ts'
import { type Published, readPublished } from './published.ts'
import { createRunning, type RunningPropagator } from './running.ts'
import { newRecord, type StagedRecord, startMs } from './staged.ts'

/** The windows are short, because the tests wait for their end in real time. The other settings are as in production. */
export const testConfig: PropagatorConfig = {
  ...propagatorConfig(loadSettings([propagatorVariables], {}, { service: 'test' }).of(propagatorVariables)),
  windowMs: 360,
  graceMs: 20,
}

export interface World extends AsyncDisposable {
  /** The wall clock of the log and of the propagator. The log takes append times from this clock. */
  readonly clock: ManualClock
  /** The propagator's monotonic clock. */
  readonly monotonic: ManualClock
  readonly log: EmbeddedLog
  readonly running: RunningPropagator
  readonly stateDirectory: string
  readonly logDirectory: string
  advance(ms: number): void
  stage(records: readonly (StagedRecord | NewRecord)[]): Promise<readonly RecordPosition[]>
  start(config?: Partial<PropagatorConfig>): Promise<RunningPropagator>
  /** Ends the propagator and the log. A later `start` uses the same directories. */
  stop(): Promise<void>
  /** Ends only the propagator. The log continues. */
  drain(): Promise<void>
  loseState(): void
  /** Moves the clock forward until all spans and repairs are published. */
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
    enabledReaders: [groupNames.writer, groupNames.propagator],
    partitions: { staging: partitions },
    maxTopicBytes,
    // Only the propagator reads spans.staging here. The log therefore deletes staged records as soon as the propagator has read them. No
    // writer reads the published records, so they stay until the tests read them.
  }).map(spec => (spec.name === topicNames.staging ? { ...spec, readers: [groupNames.propagator] } : spec))
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

    async settled(timeoutMs = 150_000) {
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
