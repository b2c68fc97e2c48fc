// The owner of one partition of entities: takes what its two topics say, a chunk at a time, into the state, and publishes what came of it. Nothing is known but by
// the changelog, and every commit has its records and the offset, so a crash at any point changes nothing.
import { setImmediate as yieldTurn } from 'node:timers/promises'
import { AppError } from '@svc-server/errors'
import type { AssignedPartition, BatchOutcome, CommittedOffset, EventLog, LogRecord, NewRecord, OwnedPartition } from '@svc-server/log'
import { groupNames, topicNames } from '@svc-server/modes/names'
import type { WriteMode } from '@svc-server/modes/write-mode'
import type { EnvironmentNames } from '@svc-server/observations/environment-name'
import type { Metrics } from '@svc-server/service/metrics'
import type { Rejection } from '@svc-server/stream/chunk'
import type { DeadLetters } from '@svc-server/stream/dead-letter'
import type { Tally } from '@svc-server/stream/dead-letter-limit'
import { type Incoming, readRecord } from './incoming.ts'
import { groupByEntity, type Known, knownOfOlder, knownOfRecord, merge, type Publication, type Said } from './merge.ts'
import type { mergerMetrics } from './metrics.ts'
import type { OlderRows } from './older-rows.ts'
import type { EntityState } from './state/entity-state.ts'

export interface EntityPartitionConfig {
  /** Of this process, for records that do not say theirs. */
  readonly writeMode: WriteMode
  /** Bytes of a topic read at a time. */
  readonly readBytes: number
  /** Bytes of records and of what is known of their entities that one transaction is made of. */
  readonly chunkBytes: number
  readonly maxEntityBytes: number
}

export interface EntityPartitionDeps {
  readonly partition: number
  readonly log: EventLog
  readonly state: EntityState
  readonly older: OlderRows
  readonly deadLetters: DeadLetters
  readonly environments: EnvironmentNames
  readonly metrics: Metrics<typeof mergerMetrics>
  readonly config: EntityPartitionConfig
  /** End of the partition of `entities`, asked for after the former owner was shut out. */
  readonly changelogEnd: number
}

export interface EntityPartition {
  /** Works on one of the partition's topics until it is read to its end. */
  work(owned: OwnedPartition): Promise<BatchOutcome>
}

/** A commit that was tried: whether it was done, the group's offset says. */
interface Tried {
  readonly offset: number
  readonly last: NewRecord | undefined
}

interface Input {
  position: number
  committed: CommittedOffset | undefined
  tried: Tried | null
}

interface Taken {
  readonly said: readonly Said[]
  /** The state's record of each of their entities; null: it has none. */
  readonly stored: ReadonlyMap<string, Buffer | null>
  readonly end: number
  readonly unreadable: readonly Rejection[]
}

function tallyOf({ said, unreadable }: Taken, rejected: readonly Rejection[]): Tally {
  const items = said.reduce((sum, { incoming }) => sum + incoming.length, unreadable.length)
  return { items, owners: new Set(said.map(({ identity }) => identity.projectId)), rejected, itemsOf: () => 1 }
}

const recordsBetweenYields = 200
const unresolvedPauseMs = 100

export function createEntityPartition(deps: EntityPartitionDeps, inputs: readonly AssignedPartition[]): EntityPartition {
  const { partition, log, state, older, deadLetters, environments, metrics, config, changelogEnd } = deps
  const byTopic = new Map<string, Input>(
    inputs.map(({ topic, committed, lowWatermark }) => [topic, { position: committed?.offset ?? lowWatermark, committed, tried: null }]),
  )
  /** The newest record that this owner knows to be committed. */
  let last: NewRecord | undefined
  let turn: Promise<unknown> = Promise.resolve()

  /** Both topics change the same entities: one chunk at a time. */
  function alone<T>(work: () => Promise<T>): Promise<T> {
    const mine = turn.then(work, work)
    turn = mine.catch(() => {})
    return mine
  }

  /** After a commit of unknown outcome the group's offset says whether it was done. */
  function locate(input: Input, owned: OwnedPartition): void {
    const found = owned.committed
    if (found !== undefined && input.committed !== undefined && found.offset < input.committed.offset) {
      const at = `${owned.topic}/${partition}`
      throw new AppError(
        'log_unavailable',
        `${at} is said to be committed at ${found.offset}, and was committed at ${input.committed.offset} before.`,
      )
    }
    if (input.tried !== null && found?.offset === input.tried.offset && input.tried.last !== undefined) last = input.tried.last
    input.tried = null
    input.committed = found ?? input.committed
    input.position = found?.offset ?? input.position
  }

  async function step(owned: OwnedPartition): Promise<boolean> {
    const input = byTopic.get(owned.topic)!
    locate(input, owned)
    await state.catchUp(partition, { last, end: changelogEnd, signal: owned.signal })
    const batch = await log.read(owned.topic, partition, input.position, config.readBytes)
    if (batch.nextOffset <= input.position) return false
    const chunk = await take(batch.records, batch.nextOffset)
    const publications = await publish(chunk)
    const rejected = [...chunk.unreadable, ...publications.flatMap(each => each.rejected)].sort((a, b) => a.offset - b.offset)
    const tally = tallyOf(chunk, rejected)
    deadLetters.admit(tally)
    const appends = appendsOf(owned.topic, publications, rejected)
    const { end } = chunk
    const entities = appends.get(topicNames.entities)
    input.tried = { offset: end, last: entities?.at(-1) }
    await owned.commitWith(end, '', appends)
    input.tried = null
    input.committed = { offset: end, metadata: '' }
    input.position = end
    last = entities?.at(-1) ?? last
    deadLetters.acknowledged(tally)
    metrics.events.inc({ outcome: 'merged' }, tally.items - rejected.length)
    metrics.events.inc({ outcome: 'dead_lettered' }, rejected.length)
    metrics.entities.inc(entities?.length ?? 0)
    return true
  }

  /** As many records as the bytes allow, what is known of their entities included; one at least. */
  async function take(records: readonly LogRecord[], nextOffset: number): Promise<Taken> {
    const incoming: Incoming[] = []
    const unreadable: Rejection[] = []
    const stored = new Map<string, Buffer | null>()
    let bytes = 0
    let end = nextOffset
    for (const [index, record] of records.entries()) {
      if (bytes >= config.chunkBytes) {
        end = record.offset
        break
      }
      if (index % recordsBetweenYields === recordsBetweenYields - 1) await yieldTurn()
      bytes += record.value?.byteLength ?? 0
      const read = readRecord(record, config.writeMode, environments)
      if (!read.ok) {
        unreadable.push(read.rejection)
        continue
      }
      // Such events are refused where they come in: there is no table for them.
      if (read.incoming.writeMode === 'events_only') continue
      incoming.push(read.incoming)
      const { key } = read.incoming
      if (stored.has(key)) continue
      const known = state.get(partition, Buffer.from(key))
      stored.set(key, known)
      bytes += known?.byteLength ?? 0
    }
    return { said: groupByEntity(incoming), stored, end, unreadable }
  }

  async function publish({ said, stored }: Taken): Promise<readonly Publication[]> {
    const known = new Map<string, Known>()
    const unknown: Said[] = []
    for (const each of said) {
      const record = stored.get(each.key) ?? null
      if (record === null) unknown.push(each)
      else known.set(each.key, knownOfRecord(record))
    }
    if (unknown.length > 0) {
      metrics.lookups.inc(unknown.length)
      const found = await older.find(unknown.map(({ identity }) => identity))
      for (const { key, identity } of unknown) known.set(key, knownOfOlder(identity, found.get(key) ?? { row: null, root: null }))
    }
    const publications: Publication[] = []
    for (const [index, each] of said.entries()) {
      if (index % recordsBetweenYields === recordsBetweenYields - 1) await yieldTurn()
      publications.push(merge(each, known.get(each.key)!, { partition, maxEntityBytes: config.maxEntityBytes }))
    }
    return publications
  }

  function appendsOf(topic: string, publications: readonly Publication[], rejected: readonly Rejection[]) {
    const appends = new Map<string, readonly NewRecord[]>()
    const put = (name: string, records: readonly (NewRecord | null)[]) => {
      const present = records.filter(record => record !== null)
      if (present.length > 0) appends.set(name, present)
    }
    put(
      topicNames.entities,
      publications.map(({ entity }) => entity),
    )
    put(
      topicNames.traceParts,
      publications.flatMap(({ parts }) => parts),
    )
    put(
      topicNames.staging,
      publications.map(({ staged }) => staged),
    )
    for (const [name, letters] of deadLetters.appends({ topic, partition }, rejected)) appends.set(name, letters)
    return appends
  }

  /**
   * What became of a commit on the other topic, of which nobody knows whether it was done: what it changed must be seen before anything is based on the
   * state. False: it still has to be tried again.
   */
  async function othersResolved(topic: string): Promise<boolean> {
    for (const [name, other] of byTopic) {
      if (name === topic || other.tried === null) continue
      const found = (await log.committed(groupNames.merger, name)).get(partition)
      if (found?.offset !== other.tried.offset) return false
      last = other.tried.last ?? last
      Object.assign(other, { tried: null, committed: found, position: found.offset })
    }
    return true
  }

  return {
    async work(owned) {
      while (!owned.signal.aborted) {
        const outcome = await alone(async () => ((await othersResolved(owned.topic)) ? step(owned) : null))
        if (outcome === null) return { kind: 'pause', afterMs: unresolvedPauseMs }
        if (!outcome) return { kind: 'done' }
      }
      return { kind: 'pause', afterMs: 1000 }
    },
  }
}
