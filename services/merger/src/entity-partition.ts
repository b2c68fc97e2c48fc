// Owns one partition of entities. It merges the records of two topics into the known entities, and publishes the result. Its only state is
// the changelog. Each commit contains changelog records together with the offset, so a crash loses nothing.
import { isAppError } from '@svc-server/errors'
import type { AssignedPartition, BatchOutcome, CommittedOffset, EventLog, LogRecord, NewRecord, OwnedPartition } from '@svc-server/log'
import { groupNames, topicNames } from '@svc-server/modes/names'
import type { WriteMode } from '@svc-server/modes/write-mode'
import type { EnvironmentNames } from '@svc-server/observations/environment-name'
import { createYields, type Yields } from '@svc-server/owner/yields'
import { isCommand } from '@svc-server/schema/command'
import type { Metrics } from '@svc-server/service/metrics'
import type { Rejection } from '@svc-server/stream/chunk'
import type { DeadLetters } from '@svc-server/stream/dead-letter'
import { type Chunk, type Taken, tallyOf } from './chunk.ts'
import type { MergerDenials } from './denied.ts'
import { type Incoming, readRecord, textOfDefect } from './incoming.ts'
import { type Known, knownOfOlder, knownOfRecord } from './known.ts'
import { allRejected, groupByEntity, merge, type Publication, type Said } from './merge.ts'
import type { mergerMetrics } from './metrics.ts'
import { bytesOfOlder, nothingOlder, type OlderRows } from './older-rows.ts'
import { refuseOlder } from './standing.ts'
import type { EntityState } from './state/entity-state.ts'
import { createWithdrawals, defaultSlices, type WalkTurns, type WithdrawalSlices } from './withdraw.ts'

export interface EntityPartitionConfig {
  /** Write mode of this process, for records without a write mode. */
  readonly writeMode: WriteMode
  /** Maximum bytes of one read of a topic. */
  readonly readBytes: number
  /** Maximum bytes in one transaction: the records, and the known states of the records' entities. */
  readonly chunkBytes: number
  readonly maxEntityBytes: number
  readonly slices?: WithdrawalSlices
}

export interface EntityPartitionDeps {
  readonly partition: number
  readonly log: EventLog
  readonly state: EntityState
  readonly older: OlderRows
  readonly denials: MergerDenials
  readonly turns: WalkTurns
  readonly deadLetters: DeadLetters
  readonly environments: EnvironmentNames
  readonly metrics: Metrics<typeof mergerMetrics>
  readonly config: EntityPartitionConfig
  readonly onMode: (mode: WriteMode, records: number) => void
  readonly onProgress: (at: OwnedPartition) => void
  /** End of `entities`. At the time when the merger looks up this end, the previous owner can no longer publish. */
  readonly changelogEnd: number
}

export interface EntityPartition {
  work(owned: OwnedPartition): Promise<BatchOutcome>
}

/** A commit whose outcome is unknown. The consumer group's committed offset shows later whether this commit succeeded. */
interface Tried {
  readonly offset: number
  readonly last: NewRecord | undefined
}

interface Input {
  position: number
  committed: CommittedOffset | undefined
  tried: Tried | null
}

/** Maximum number of entities in one lookup. The owner checks only between lookups whether the results reach a chunk's byte limit. */
const perLookUp = 200
const unresolvedPauseMs = 100
/** How long a partition pauses while a different partition of the process walks over its entities. */
const turnPauseMs = 20

export function createEntityPartition(deps: EntityPartitionDeps, inputs: readonly AssignedPartition[]): EntityPartition {
  const { partition, log, state, older, denials, turns, deadLetters, environments, metrics, config, changelogEnd, onMode, onProgress } =
    deps
  const withdrawals = createWithdrawals({ state, partition, denials, turns, slices: config.slices ?? defaultSlices })
  const byTopic = new Map<string, Input>(
    inputs.map(({ topic, committed, lowWatermark }) => [topic, { position: committed?.offset ?? lowWatermark, committed, tried: null }]),
  )
  /** The newest record that this owner appended to `entities` in a commit that is known to have succeeded. */
  let last: NewRecord | undefined
  let turn: Promise<unknown> = Promise.resolve()

  /**
   * Processes one chunk at a time. The chunks come from the topics `ingestion` and `trace.parts`. Chunks of both topics change entities. If
   * two chunks were processed at the same time, both could therefore change the same entity.
   */
  function alone<T>(work: () => Promise<T>): Promise<T> {
    const mine = turn.then(work, work)
    turn = mine.catch(() => {})
    return mine
  }

  function locate(input: Input, owned: OwnedPartition): void {
    const found = owned.committed
    refuseOlder(owned, input.committed?.offset, found)
    if (input.tried !== null && found?.offset === input.tried.offset && input.tried.last !== undefined) last = input.tried.last
    input.tried = null
    input.committed = found ?? input.committed
    input.position = found?.offset ?? input.position
  }

  /**
   * Returns `wait` if three conditions are true: no records are left to merge, this partition must still withdraw entities that deletions
   * cover, and another partition is withdrawing entities now.
   */
  async function step(owned: OwnedPartition): Promise<'on' | 'end' | 'wait'> {
    const input = byTopic.get(owned.topic)!
    locate(input, owned)
    await state.catchUp(partition, { last, end: changelogEnd, signal: owned.signal })
    const batch = await log.read(owned.topic, partition, input.position, config.readBytes)
    const pending = withdrawals.learn(batch.records)
    const walks = owned.topic === topicNames.traceParts && withdrawals.isPending
    const hasWalked = walks && (await withdraw(owned, input))
    if (batch.nextOffset <= input.position || (pending.length > 0 && pending.length === batch.records.length && withdrawals.isPending)) {
      if (!walks) return 'end'
      return hasWalked ? 'on' : 'wait'
    }
    const chunk = await learn(await take(batch.records, batch.nextOffset))
    const publications = await publish(chunk)
    const rejected = [...chunk.unreadable, ...publications.flatMap(each => each.rejected)].sort((a, b) => a.offset - b.offset)
    const tally = tallyOf(chunk, rejected)
    deadLetters.admit(tally)
    const appends = appendsOf(owned.topic, publications, rejected)
    const { end } = chunk
    // Only the last deletion is appended again. This is enough, because the last deletion causes a walk over all entities (withdraw.ts),
    // and this walk also withdraws the entities that belong to all earlier deletions.
    const again = withdrawals.isPending ? pending.findLast(({ offset }) => offset < end) : undefined
    if (again !== undefined) {
      const parts = appends.get(topicNames.traceParts) ?? []
      appends.set(topicNames.traceParts, [...parts, { key: again.key, value: again.value!, partition }])
    }
    const entities = appends.get(topicNames.entities)
    input.tried = { offset: end, last: entities?.at(-1) }
    await owned.commitWith(end, '', appends).catch((error: unknown) => {
      // The log wrote nothing, so the owner forgets the attempt. Otherwise, the partition of the same number on the other topic
      // (`ingestion` or `trace.parts`) would wait for the attempt's outcome, although that partition's commits can free space on the log.
      if (isAppError(error) && error.code === 'log_full') input.tried = null
      throw error
    })
    Object.assign(input, { tried: null, committed: { offset: end, metadata: '' }, position: end })
    last = entities?.at(-1) ?? last
    deadLetters.acknowledged(tally)
    onProgress(owned)
    if (owned.topic === topicNames.ingestion)
      for (const { incoming } of chunk.said) for (const { writeMode } of incoming) onMode(writeMode, 1)
    const denied = chunk.said.reduce((sum, { incoming }, at) => sum + (publications[at]!.denied ? incoming.length : 0), 0)
    metrics.events.inc({ outcome: 'merged' }, tally.items - rejected.length - denied)
    metrics.events.inc({ outcome: 'denied' }, denied)
    metrics.events.inc({ outcome: 'dead_lettered' }, rejected.length)
    metrics.entities.inc(entities?.length ?? 0)
    return 'on'
  }

  /** Runs one slice of the walk over all entities (withdraw.ts). Returns false if another partition is running a slice. */
  async function withdraw(owned: OwnedPartition, input: Input): Promise<boolean> {
    const hasWalked = await withdrawals.slice(owned.signal, async records => {
      await owned.commitWith(input.position, '', new Map([[topicNames.entities, records]]))
      last = records.at(-1)
      metrics.entities.inc(records.length)
    })
    onProgress(owned)
    await state.catchUp(partition, { last, end: changelogEnd, signal: owned.signal })
    return hasWalked
  }

  /**
   * Takes as many records as the byte limit allows, but at least one record. The known states of the records' entities also count toward
   * the limit.
   */
  async function take(records: readonly LogRecord[], nextOffset: number): Promise<Taken> {
    const incoming: Incoming[] = []
    const unreadable: Rejection[] = []
    const stored = new Map<string, Buffer | null>()
    const yields = createYields(1)
    let bytes = 0
    let end = nextOffset
    for (const record of records) {
      if (bytes >= config.chunkBytes) {
        end = record.offset
        break
      }
      if (yields.isDue()) await yields.take()
      bytes += record.value?.byteLength ?? 0
      if (record.value !== null && isCommand(record.value)) continue
      const read = readRecord(record, config.writeMode, environments)
      if (!read.ok) {
        unreadable.push(read.rejection)
        continue
      }
      // In the write mode events_only, the API accepts no events for the merger, because no table would store the merged entities.
      if (read.incoming.writeMode === 'events_only') continue
      incoming.push(read.incoming)
      const { key } = read.incoming
      if (stored.has(key)) continue
      const known = state.get(partition, Buffer.from(key))
      stored.set(key, known)
      bytes += known?.byteLength ?? 0
    }
    return { incoming, stored, end, unreadable }
  }

  /** Looks up the entities that the state does not have. If the results reach the byte limit of a chunk, the chunk ends early. */
  async function learn({ incoming, stored, end, unreadable }: Taken): Promise<Chunk> {
    const all = groupByEntity(incoming)
    const known = new Map<string, () => Known>()
    for (const { key } of all) {
      const record = stored.get(key) ?? null
      if (record !== null) known.set(key, () => knownOfRecord(record))
    }
    const unknown = all.filter(({ key }) => !known.has(key))
    let bytes = 0
    for (let from = 0; from < unknown.length; from += perLookUp) {
      // A chunk must have at least one entity. Before the first lookup, `bytes` is 0, so the byte limit never ends the chunk there.
      if (bytes >= config.chunkBytes) return { ...before(unknown[from]!.incoming[0]!.record.offset), known }
      const some = unknown.slice(from, from + perLookUp)
      metrics.lookups.inc(some.length)
      const found = await older.find(some.map(({ identity }) => identity))
      for (const { key, identity } of some) {
        const row = found.get(key) ?? nothingOlder
        bytes += bytesOfOlder(row)
        known.set(key, () => knownOfOlder(identity, row))
      }
    }
    return { said: all, known, end, unreadable }

    function before(offset: number): Omit<Chunk, 'known'> {
      return {
        said: groupByEntity(incoming.filter(({ record }) => record.offset < offset)),
        end: offset,
        unreadable: unreadable.filter(each => each.offset < offset),
      }
    }
  }

  async function publish({ said, known }: Chunk): Promise<readonly Publication[]> {
    const yields = createYields(1)
    const publications: Publication[] = []
    for (const each of said) {
      if (yields.isDue()) await yields.take()
      publications.push(await mergeOne(each, known.get(each.key)!, yields))
    }
    return publications
  }

  /** If the merge of an entity throws, only the events of this entity are rejected. */
  async function mergeOne(said: Said, known: () => Known, { take: nextTurn }: Yields): Promise<Publication> {
    try {
      return await merge(said, known(), { partition, maxEntityBytes: config.maxEntityBytes, denials }, nextTurn)
    } catch (error) {
      return allRejected(said, 'exception', textOfDefect(error))
    }
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
    for (const [name, appended] of deadLetters.appends({ topic, partition }, rejected)) appends.set(name, appended)
    return appends
  }

  /**
   * Checks the last commit of each topic except `topic`. If the outcome of a commit is unknown, asks the log whether this commit succeeded.
   * Until the outcome is known, the local state may lack the changes of the commit. Returns false if one of these commits failed.
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
        if (outcome === 'end') return { kind: 'done' }
        if (outcome === 'wait') return { kind: 'pause', afterMs: turnPauseMs }
      }
      return { kind: 'pause', afterMs: 1000 }
    },
  }
}
