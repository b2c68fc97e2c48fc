// A consumer waits for two things: a change in its partition, such as a new record, and a free slot.
import type { ConsumeOptions } from '../port.ts'

/**
 * Waits until the partition changes, `forMs` is over, or the signal aborts. `forMs` can be Infinity. If `forMs` is 0 or less, the
 * promise resolves immediately.
 */
export function waitForChange(watchers: Set<() => void>, forMs: number, signal: AbortSignal): Promise<void> {
  if (forMs <= 0 || signal.aborted) return Promise.resolve()
  return new Promise(resolve => {
    const timer = Number.isFinite(forMs) ? setTimeout(done, Math.ceil(forMs)) : undefined
    function done() {
      clearTimeout(timer)
      watchers.delete(done)
      signal.removeEventListener('abort', done)
      resolve()
    }
    watchers.add(done)
    signal.addEventListener('abort', done)
  })
}

interface Semaphore {
  acquire(): Promise<void>
  release(): void
}

/** Grants permits in the order of the calls, so that busy partitions do not starve other partitions. */
function createSemaphore(permits: number): Semaphore {
  let free = permits
  const waiting: (() => void)[] = []
  return {
    acquire() {
      if (free > 0) {
        free--
        return Promise.resolve()
      }
      return new Promise(resolve => waiting.push(resolve))
    },
    release() {
      const next = waiting.shift()
      if (next) next()
      else free++
    },
  }
}

export interface Places {
  /** Resolves when the topic gets a slot for one batch. The returned function frees the slot. */
  enter(topic: string): Promise<() => void>
}

/** Topics of one kind (background or foreground) never occupy all slots. One slot always stays free for the other kind. */
export function createPlaces({ concurrency, background = [] }: Pick<ConsumeOptions, 'concurrency' | 'background'>): Places {
  const behind = new Set(background)
  const all = createSemaphore(concurrency + (behind.size > 0 ? 1 : 0))
  const lanes = { front: createSemaphore(concurrency), background: createSemaphore(concurrency) }
  return {
    async enter(topic) {
      const lane = behind.has(topic) ? lanes.background : lanes.front
      await lane.acquire()
      await all.acquire()
      return () => {
        all.release()
        lane.release()
      }
    },
  }
}
