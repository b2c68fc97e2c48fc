// Waits until acknowledged records are readable. On the way into the tables, one or more consumer groups process each record. A record is
// readable when each of these groups has committed its work on the record.
import type { CommittedOffset, EventLog } from '@svc-server/log'
import type { TopicName } from '@svc-server/modes/names'
import { type Step, waysFrom } from './completeness.ts'
import type { Awaited } from './ingest-id.ts'

export interface ReadableOptions {
  readonly log: Pick<EventLog, 'committed' | 'describe'>
  /** Minimum time between two queries of the log. */
  readonly pollMs?: number
}

interface WaitOptions {
  readonly timeoutMs: number
  /** Aborts when the client has disconnected. */
  readonly signal: AbortSignal
}

/** Resolves with true when the records are readable. Resolves with false after the timeout, or if the client disconnects. */
export type WaitUntilReadable = (awaited: Awaited, options: WaitOptions) => Promise<boolean>

type Committed = ReadonlyMap<number, CommittedOffset>

interface Way {
  readonly steps: readonly Step[]
  at: number
  needed: ReadonlyMap<number, number>
}

const isDone = (needed: ReadonlyMap<number, number>, committed: Committed): boolean =>
  [...needed].every(([partition, offset]) => (committed.get(partition)?.offset ?? 0) >= offset)

export function createWaitUntilReadable({ log, pollMs = 100 }: ReadableOptions): WaitUntilReadable {
  const asked = new Map<string, { readonly atMs: number; readonly committed: Promise<Committed> }>()

  /**
   * Returns the committed offsets of a step. Committed offsets only increase. An outdated response can therefore make a wait longer, but
   * cannot end it too early.
   */
  function committedOf({ topic, group }: Step): Promise<Committed> {
    const key = `${group} ${topic}`
    const known = asked.get(key)
    const nowMs = performance.now()
    if (known !== undefined && nowMs - known.atMs < pollMs / 2) return known.committed
    const committed = log.committed(group, topic)
    asked.set(key, { atMs: nowMs, committed })
    return committed
  }

  /**
   * Returns the end offset of each partition. Call this function after the previous step has finished, so that the end offsets include
   * every record that the previous step has appended.
   */
  async function everythingIn(topic: TopicName): Promise<ReadonlyMap<number, number>> {
    const partitions = (await log.describe()).find(({ spec }) => spec.name === topic)?.partitions ?? []
    const filled = partitions.filter(({ lowWatermark, highWatermark }) => highWatermark > lowWatermark)
    return new Map(filled.map(({ partition, highWatermark }) => [partition, highWatermark]))
  }

  async function beginning(awaited: Awaited): Promise<Way[]> {
    const ways: Way[] = []
    for (const [topic, partitions] of awaited) {
      const needed = partitions === 'all' ? await everythingIn(topic) : partitions
      for (const steps of waysFrom(topic)) ways.push({ steps, at: 0, needed })
    }
    return ways
  }

  /** Advances `way` to the first step of the route that has not finished. Resolves with true at the end of the route. */
  async function advance(way: Way): Promise<boolean> {
    for (;;) {
      const step = way.steps[way.at]
      if (step === undefined) return true
      if (!isDone(way.needed, await committedOf(step))) return false
      way.at++
      const next = way.steps[way.at]
      if (next !== undefined) way.needed = await everythingIn(next.topic)
    }
  }

  async function poll(awaited: Awaited, signal: AbortSignal): Promise<boolean> {
    let ways: Way[] | undefined
    while (!signal.aborted) {
      try {
        ways ??= await beginning(awaited)
        const left: Way[] = []
        for (const way of ways) if (!(await advance(way))) left.push(way)
        ways = left
        if (ways.length === 0) return true
      } catch {
        // If the log does not respond, the loop tries again until the timeout.
      }
      await after(pollMs, signal)
    }
    return false
  }

  return async (awaited, { timeoutMs, signal }) => {
    const over = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
    // The race ends the wait at the timeout even if the log never responds.
    return Promise.race([poll(awaited, over), aborted(over).then(() => false)])
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

const after = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done, { once: true })
  })
